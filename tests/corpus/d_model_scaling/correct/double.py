"""A right answer in a style of its own: double."""

d_model_scaling_symptom = "silent"


def d_model_scaling(Q, K):
    s = (Q.double() @ K.double().mT) * Q.shape[-1] ** -0.5
    return s.exp() / s.exp().sum(-1, keepdim=True)
