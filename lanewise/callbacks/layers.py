"""Dense layers of a neural network on lanes: y = f(W x + b), in every world.

    dense_tanh(p.weights, p.bias, p.observation, p.hidden, 24, 64)

W has a row for each output, as in PyTorch; weights and biases are parameters, x and y are fields:
of d, or state or scratch of the user's. A weight that all worlds share is read once for eight of
them. Outputs are computed eight at a time, which hides the time that a product takes; each is
summed from its bias on in the order of the inputs, so it has the same bits alone.
"""

from ..lanes import exp, kernel, maximum, minimum, splat, tanh, where


@kernel(inline=True)
def linear(x):
    return x


@kernel(inline=True)
def relu(x):
    return maximum(x, 0.0)


@kernel(inline=True)
def elu(x):
    """x, and exp(x) - 1 where x is negative"""
    return where(x > 0.0, x, exp(minimum(x, 0.0)) - 1.0)


@kernel(inline=True)
def swish(x):
    """x / (1 + exp(-x))"""
    return x / (1.0 + exp(-x))


def layer(activation):
    """A kernel (weights, bias, x, y, nx, ny) that gives y[:ny] = activation(weights x[:nx] + bias).

    activation is a kernel or an operation of one number.
    """

    @kernel
    def dense_layer(weights, bias, x, y, nx, ny):
        """y[:ny] = f(weights x[:nx] + bias): weights (ny, nx), bias (ny,); f is in the name."""
        first = 0
        while first + 8 <= ny:
            a, b = splat(bias[first]), splat(bias[first + 1])
            c, e = splat(bias[first + 2]), splat(bias[first + 3])
            f, g = splat(bias[first + 4]), splat(bias[first + 5])
            h, k = splat(bias[first + 6]), splat(bias[first + 7])
            for j in range(nx):
                v = splat(x[j])
                a, b = a + weights[first, j] * v, b + weights[first + 1, j] * v
                c, e = c + weights[first + 2, j] * v, e + weights[first + 3, j] * v
                f, g = f + weights[first + 4, j] * v, g + weights[first + 5, j] * v
                h, k = h + weights[first + 6, j] * v, k + weights[first + 7, j] * v
            y[first], y[first + 1], y[first + 2], y[first + 3] = a, b, c, e
            y[first + 4], y[first + 5], y[first + 6], y[first + 7] = f, g, h, k
            first += 8
        for i in range(first, ny):
            a = splat(bias[i])
            for j in range(nx):
                a = a + weights[i, j] * splat(x[j])
            y[i] = a
        for i in range(ny):
            y[i] = activation(splat(y[i]))

    return dense_layer


dense = layer(linear)
dense_tanh, dense_relu = layer(tanh), layer(relu)
dense_elu, dense_swish = layer(elu), layer(swish)
