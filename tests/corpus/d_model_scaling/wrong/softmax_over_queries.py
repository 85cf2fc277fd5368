"""softmax-over-queries, in a style of its own."""

d_model_scaling_symptom = "silent"


def d_model_scaling(Q, K):
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-2)
