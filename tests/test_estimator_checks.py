"""scikit-learn's own checks of the estimators of arrays, every expected failure with its reason; and what these leave out."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import taut
from taut.datasets import make_multilabel

TOLERANCE = "compares two fits to seven digits; a fit ends at a relative gap of `tol`. test_estimators compares the objectives"
CLASSES = "trains on one column of several classes; these estimators take 0/1 matrices, and say so"
EXPECTED = {
    "MulticlassSSVM": {
        "check_sample_weight_equivalence_on_dense_data": TOLERANCE,
        "check_sample_weight_equivalence_on_sparse_data": TOLERANCE,
    },
}
EXPECTED["MultiLabelSSVM"] = EXPECTED["HierarchicalSSVM"] = dict.fromkeys(
    [
        "check_class_weight_classifiers", "check_classifier_data_not_an_array", "check_classifier_not_supporting_multiclass",
        "check_classifiers_classes", "check_classifiers_train",
        "check_estimators_dtypes", "check_fit2d_1feature", "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data", "check_sample_weights_not_an_array",
        "check_sample_weights_not_overwritten", "check_sample_weights_pandas_series", "check_sample_weights_shape",
    ],
    CLASSES,
)  # fmt: skip
ESTIMATORS = [taut.MulticlassSSVM(), taut.MultiLabelSSVM(), taut.HierarchicalSSVM(hierarchy=[])]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda estimator: EXPECTED[type(estimator).__name__])
def test_scikit_learn_is_content(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # five passes are not enough
        check(estimator)


@pytest.mark.parametrize("model", [taut.MultiLabelSSVM(edges="full"), taut.HierarchicalSSVM(hierarchy=[])], ids=repr)
def test_what_the_checks_of_label_sets_leave_out(model):
    X, Y, _ = make_multilabel(30, 3, 3, edges="full", noise=0.5, rng=0)
    plain = clone(model).fit(X, Y)
    frozen = X.copy()
    frozen.setflags(write=False)
    weights = np.ones(30)
    for x, y, s in [
        (frozen, Y, None), (X.tolist(), Y.tolist(), None), (np.asfortranarray(X), Y.astype(float), weights),
        (X, Y, weights.tolist()),
    ]:  # fmt: skip
        assert np.array_equal(clone(model).fit(x, y, s).coef_, plain.coef_)
    assert (weights == 1).all()
    single = clone(model).fit(X.astype(np.float32), Y)
    assert single.primal_objective_ == pytest.approx(plain.primal_objective_, rel=2e-3)
    assert clone(model).fit(X[:, :1], Y).coef_.shape == (3, 1)
    with pytest.raises(ValueError, match="sample_weight"):
        clone(model).fit(X, Y, weights[:-1])
    with pytest.raises(ValueError, match="shape"):
        clone(model).fit(X, Y, np.ones((30, 2)))
