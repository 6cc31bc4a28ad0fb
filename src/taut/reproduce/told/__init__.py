"""What the page says of each part, from its lines alone."""
