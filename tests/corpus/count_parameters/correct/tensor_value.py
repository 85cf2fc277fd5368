"""A right answer in a style of its own: tensor value."""

count_parameters = lambda d, h: h * (3 * (d * (d // h) + d // h)) + d * d + d
