"""Dense linear algebra in plain compiled loops: LU with partial pivoting, products, the matrix exponential.

Matrices are contiguous, row by row; `factorise` and `solve` take real and complex ones. Inner loops run along rows, so
that they become vector instructions.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.numerics.loops import inlined, loop

EVEN, ODD, PRODUCT, SCRATCH = 4, 5, 6, 7
"""Matrices that `exponential` works with: A, A², A⁴, A⁶, the even and the odd part, a product; how many."""

PADE = ((3, 1.495585217958292e-2), (5, 2.539398330063230e-1), (7, 9.504178996162932e-1), (13, 5.371920351148152))
"""Degrees of Padé's approximant and the 1-norms up to which each is exact to round-off in double precision
(N. J. Higham, The scaling and squaring method for the matrix exponential revisited, 2005, table 2.3)."""


@loop
def factorise(a, rows):  # type: ignore[no-untyped-def]
    """P A = L U in place, L below the diagonal, `rows[k]` the row exchanged with row k; False if A is singular."""
    n = a.shape[0]
    for k in range(n):
        best, p = abs(a[k, k]), k
        for i in range(k + 1, n):
            size = abs(a[i, k])
            if size > best:
                best, p = size, i
        rows[k] = p
        if not 0.0 < best < math.inf:
            return False
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
        pivot = a[k, k]
        for i in range(k + 1, n):
            if a[i, k] != 0.0:
                factor = a[i, k] / pivot
                a[i, k] = factor
                for j in range(k + 1, n):
                    a[i, j] -= factor * a[k, j]
    return True


@loop
def solve(a, rows, x):  # type: ignore[no-untyped-def]
    """A⁻¹ x in place, A as `factorise` left it; x a vector."""
    n = a.shape[0]
    for k in range(n):
        p = rows[k]
        x[k], x[p] = x[p], x[k]
    for i in range(1, n):
        total = x[i]
        for j in range(i):
            total -= a[i, j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, n):
            total -= a[i, j] * x[j]
        x[i] = total / a[i, i]


@loop
def solve_all(a, rows, x):  # type: ignore[no-untyped-def]
    """A⁻¹ X in place, A as `factorise` left it; X a matrix."""
    n, width = x.shape
    for k in range(n):
        p = rows[k]
        if p != k:
            for j in range(width):
                x[k, j], x[p, j] = x[p, j], x[k, j]
    for i in range(n):
        for k in range(i):
            factor = a[i, k]
            if factor != 0.0:
                for j in range(width):
                    x[i, j] -= factor * x[k, j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            factor = a[i, k]
            if factor != 0.0:
                for j in range(width):
                    x[i, j] -= factor * x[k, j]
        for j in range(width):
            x[i, j] /= a[i, i]


@loop
def multiply(a, b, c):  # type: ignore[no-untyped-def]
    """C = A B of square matrices; C is neither of the factors."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            c[i, j] = 0.0
        for k in range(n):
            factor = a[i, k]
            if factor != 0.0:
                for j in range(n):
                    c[i, j] += factor * b[k, j]


@inlined
def balance(a, scale):  # type: ignore[no-untyped-def]
    """A ← D⁻¹ A D with D = diag(scale), powers of two that make rows and columns about as large as each other.

    The rates' rows of a stiff machine hold ω², the variables' rows hold 1: balanced both hold ω, which saves squarings
    and the digits that each of them costs (Parlett and Reinsch, 1969).
    """
    n = a.shape[0]
    for i in range(n):
        scale[i] = 1.0
    again = True
    sweeps = 0
    while again and sweeps < 20:
        again = False
        sweeps += 1
        for i in range(n):
            row, column = 0.0, 0.0
            for j in range(n):
                if j != i:
                    row += abs(a[i, j])
                    column += abs(a[j, i])
            if not (0.0 < row < math.inf and 0.0 < column < math.inf):
                continue
            factor = 2.0 ** round(0.5 * math.log2(row / column))
            if column * factor + row / factor < 0.95 * (column + row):
                again = True
                scale[i] *= factor
                for j in range(n):
                    a[i, j] /= factor
                    a[j, i] *= factor


@loop
def exponential(work, rows, scale):  # type: ignore[no-untyped-def]
    """work[0] = A ← exp(A) by scaling, Padé's approximant and squaring; False if A or its exponential is not finite.

    work (SCRATCH, n, n), rows (n,) integers, scale (n,)

    r = (V - U)⁻¹ (V + U), V even in A and U odd, and exp(A) = r(A / 2ˢ)^(2ˢ). In loops over elements k, the element of
    matrix m is flat[m * size + k].
    """
    n = work.shape[1]
    size = n * n
    flat = work.reshape(work.size)
    a, product = work[0], work[PRODUCT]
    balance(a, scale)
    norm = 0.0
    for j in range(n):
        column = 0.0
        for i in range(n):
            column += abs(a[i, j])
        if not column < math.inf:
            return False
        norm = max(norm, column)
    degree, limit = PADE[0]
    for choice in PADE:
        if norm > limit:
            degree, limit = choice
    squarings = math.ceil(math.log2(norm / limit)) if norm > limit else 0
    shrink = 0.5**squarings
    for k in range(flat.size):
        flat[k] = shrink * flat[k] if k < size else 0.0

    b = np.zeros(16)
    b[0] = 1.0
    for k in range(degree):
        b[k + 1] = b[k] * (degree - k) / ((2 * degree - k) * (k + 1))
    for m in range(3):  # A² = A A, A⁴ = A² A², A⁶ = A² A⁴
        if degree > 2 * m + 1:
            multiply(work[min(m, 1)], work[m], work[m + 1])
    for odd in range(2):
        # b0 + b2 A² + b4 A⁴ + b6 A⁶ + A⁶ (b8 A² + b10 A⁴ + b12 A⁶), and the same with b1 ... b13
        half = work[EVEN + odd]
        if degree > 7:
            for k in range(size):
                two, four, six = flat[size + k], flat[2 * size + k], flat[3 * size + k]
                flat[PRODUCT * size + k] = b[8 + odd] * two + b[10 + odd] * four + b[12 + odd] * six
            multiply(work[3], product, half)
        for k in range(size):
            two, four, six = flat[size + k], flat[2 * size + k], flat[3 * size + k]
            flat[(EVEN + odd) * size + k] += b[2 + odd] * two + b[4 + odd] * four + b[6 + odd] * six
        for i in range(n):
            half[i, i] += b[odd]
    multiply(a, work[ODD], product)
    for k in range(size):
        even, odd_part = flat[EVEN * size + k], flat[PRODUCT * size + k]
        flat[k] = even + odd_part
        flat[EVEN * size + k] = even - odd_part
    if not factorise(work[EVEN], rows):
        return False
    solve_all(work[EVEN], rows, a)

    for _ in range(squarings):
        multiply(a, a, product)
        for k in range(size):
            flat[k] = flat[PRODUCT * size + k]
    total = 0.0
    for i in range(n):
        for j in range(n):
            a[i, j] *= scale[i] / scale[j]
            total += abs(a[i, j])
    return total < math.inf
