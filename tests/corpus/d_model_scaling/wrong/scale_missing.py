"""scale-missing, in a style of its own."""

d_model_scaling_symptom = "silent"


def d_model_scaling(Q, K):
    return (Q @ K.mT).softmax(-1)
