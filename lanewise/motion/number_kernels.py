"""Numbers to text and back, as kernels: tens of nanoseconds a number, and exact.

A decimal of n digits is a whole number times a power of ten. The power has 106 bits here, as a sum
of two floats, and so has the product (`scaled`): its error is below 2**-100 of it. Reading rounds
the product to a float, and is right unless the product is that near to the middle between two
floats; then, and where powers end, the place is left with NaN, for the caller to read it in another
way. Writing rounds the product of the float and a power to 15 digits, and if these are read as
another float, to 17, which never are.

Text is lines of numbers, with a mark between them, and nothing else: no comments, no names, no NaN.
Whoever finds something else says so, and leaves it to somebody with more patience.
"""

from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from ..lanes import Entries, abs_, copysign, fma, frexp, kernel, rint
from ..lanes.kinds import INT
from ..lanes.memory import byte_at, number_at, put_byte, put_number, put_word, word_at

FAR = 270  # powers of ten that are known; products then stay away from the ends of floats
TOP, BOTTOM = 1e250, 1e-250  # between which numbers are written
NEAR_MIDDLE = 2.0**-100
NAN = float("nan")
MOST = 10**17  # whole numbers of more than 17 digits take no further ones
NEWLINE, BLANK, TAB, RETURN, POINT, PLUS, MINUS, ZERO, NINE, E = map(ord, "\n \t\r.+-09e")
WIDEST = 26  # bytes of a number and its mark
BEYOND = 32  # bytes behind the last number that may be written


def _powers() -> tuple[tuple[float, ...], tuple[float, ...]]:
    exact = [Fraction(10) ** k for k in range(-FAR, FAR + 1)]
    high = [float(x) for x in exact]
    low = [float(x - Fraction(h)) for x, h in zip(exact, high, strict=True)]
    return tuple(high), tuple(low)


HIGH, LOW = _powers()


@kernel(inline=True)
def scaled(high, low, k):
    """(high + low) 10^k as the sum of two floats."""
    power, rest = HIGH[FAR + k], LOW[FAR + k]
    p = high * power
    return p, fma(high, power, -p) + (high * rest + low * power)


@kernel(inline=True)
def decimal(n, k):
    """(n 10^k, whether that is the nearest float), of a whole number n > 0."""
    near = float(n)
    p, rest = scaled(near, float(n - int(near)), k)
    unsure = p * NEAR_MIDDLE
    return p + rest, p + (rest - unsure) == p + (rest + unsure)


# ---- reading


@kernel(inline=True)
def is_digit(c):
    return c >= ZERO and c <= NINE


@kernel
def read_lines(at, end, out, columns, rows, mark):
    """Numbers from `at` to `end`, so many in a line, to `out`: how many; -1 for something else.

    The byte at `end` belongs to the text's memory, and no number goes on there.
    """
    column, count = 0, 0
    while at < end and count < rows * columns:
        c = byte_at(at)
        while c == BLANK or c == RETURN or (c == TAB and mark != TAB):
            at += 1
            c = byte_at(at)
        negative = c == MINUS
        if c == MINUS or c == PLUS:
            at += 1
            c = byte_at(at)
        n, k, digits, cut = 0, 0, 0, False
        while is_digit(c):
            if n < MOST:
                n = 10 * n + (c - ZERO)
            else:
                k += 1
                cut = cut or c != ZERO
            digits += 1
            at += 1
            c = byte_at(at)
        if c == POINT:
            at += 1
            c = byte_at(at)
            while is_digit(c):
                if n < MOST:
                    n = 10 * n + (c - ZERO)
                    k -= 1
                else:
                    cut = cut or c != ZERO
                digits += 1
                at += 1
                c = byte_at(at)
        if digits == 0:
            return -1
        if c == E or c == E - 32:
            at += 1
            c = byte_at(at)
            less = c == MINUS
            if c == MINUS or c == PLUS:
                at += 1
                c = byte_at(at)
            if not is_digit(c):
                return -1
            exponent = 0
            while is_digit(c):
                exponent = min(10 * exponent + (c - ZERO), 10000)
                at += 1
                c = byte_at(at)
            k += -exponent if less else exponent
        value = 0.0
        if n > 0:
            sure = k >= -FAR and k <= FAR
            if sure:
                value, sure = decimal(n, k)
                if cut:  # digits that were left out matter if the next number is another float
                    above, known = decimal(n + 1, k)
                    sure = sure and known and above == value
            if not sure:
                value = NAN
        put_number(out + 8 * count, -value if negative else value)
        count += 1
        column += 1
        ended = at
        while c == BLANK or c == RETURN or (c == TAB and mark != TAB):
            at += 1
            c = byte_at(at)
        if column == columns:
            if c == NEWLINE:
                at += 1
            elif at < end:
                return -1
            column = 0
        elif mark != BLANK:
            if c != mark:
                return -1
            at += 1
        elif at == ended:
            return -1
    return count if column == 0 and at >= end else -1


# ---- writing


@kernel(inline=True)
def eight_digits(n):
    """n < 10^8 as eight characters: halves, quarters and digits of all parts at once."""
    high = n * 3518437209 >> 45  # n // 10^4
    x = high | n - 10000 * high << 32
    high = (x * 10486 >> 20) & 0x0000007F0000007F
    x = high | x - 100 * high << 16
    high = (x * 103 >> 10) & 0x000F000F000F000F
    return (high | x - 10 * high << 8) + 0x3030303030303030


@kernel(inline=True)
def put_digits(at, n):
    """17 digits."""
    first = n // 10**16
    rest = n - first * 10**16
    high = rest // 10**8
    put_byte(at, ZERO + first)
    put_word(at + 1, eight_digits(high))
    put_word(at + 9, eight_digits(rest - high * 10**8))


@kernel(inline=True)
def digits_of(x, k):
    """x 10^k, rounded to a whole number below 2^63."""
    p, rest = scaled(x, 0.0, k)
    whole = rint(p)
    return int(whole) + int(rint((p - whole) + rest))


UNITS = tuple(10 ** (17 - k) for k in range(18))


@kernel(inline=True)
def exponent_of(x):
    """e of x = n 10^e with n from 1 to 10, for x > 0; next to powers of ten, perhaps one more."""
    _, b = frexp(x)
    e = (int(b) - 1) * 1233 >> 12  # log10 of 2; the exponent, or one less
    return e + int(x >= HIGH[FAR + e + 1])


@kernel(inline=True)
def exact(x):
    """(n, e, used): x > 0 is n 10^(e - 16), where n has 17 digits, the first `used` of which are
    read as x."""
    e = exponent_of(x)
    n = digits_of(x, 16 - e)
    if n < 10**16:
        e -= 1
        n = digits_of(x, 16 - e)
    last = n - n // 100 * 100
    used = 17 - int(last == last // 10 * 10)
    if last < NEXT or last > 100 - NEXT:
        short = (n + 50) // 100
        same, sure = decimal(short, e - 14)
        if sure and same == x:
            n, used = short * 100, 15
            while used > 1 and short % 10 == 0:
                short = short // 10
                used -= 1
    return n, e, used


NEXT = 13  # half of the way between two floats, at most, in the last of 17 digits


@kernel(inline=True)
def rounded(x, digits):
    """The same with so many digits, at most 15."""
    e = exponent_of(x)
    short = digits_of(x, digits - 1 - e)
    if short * UNITS[digits] < 10**16:
        e -= 1
        short = digits_of(x, digits - 1 - e)
    n, used = short * UNITS[digits], digits
    while used > 1 and short % 10 == 0:
        short = short // 10
        used -= 1
    return n, e, used


@kernel(inline=True)
def put_text(at, x, digits):
    """A number as text, rounded to at most 15 digits, or exact; where it ends."""
    put_byte(at, MINUS)
    at += int(copysign(1.0, x) < 0.0)
    x = abs_(x)
    n, e, used = 0, 0, 1
    if x > 0.0:
        if digits > 15:
            n, e, used = exact(x)
        else:
            n, e, used = rounded(x, digits)
        if n >= 10**17:  # nines, rounded up
            n, e, used = 10**16, e + 1, 1
    if e >= -4 and e < 0:
        put_word(at, 0x3030303030302E30)  # 0.000000
        put_digits(at + 1 - e, n)
        return at + 1 - e + used
    if e >= 0 and e < 16:
        put_digits(at, n)
        point = at + e + 1
        a, b = word_at(point), word_at(point + 8)
        put_byte(point, POINT)
        put_word(point + 1, a)
        put_word(point + 9, b)
        return max(at + used + 1, point + 2)
    put_digits(at + 1, n)
    put_byte(at, byte_at(at + 1))
    put_byte(at + 1, POINT)
    at += used + 1 if used > 1 else 1
    put_byte(at, E)
    put_byte(at + 1, MINUS if e < 0 else PLUS)
    size = abs(e)
    at += 2
    if size >= 100:
        put_byte(at, ZERO + size // 100)
        at += 1
    put_byte(at, ZERO + size // 10 % 10)
    put_byte(at + 1, ZERO + size % 10)
    return at + 2


@kernel
def write_lines(numbers, rows, columns, out, mark, digits):
    """Lines of numbers as text; how many bytes. -1 if there is one whose power is not known."""
    at = out
    for _ in range(rows):
        for _ in range(columns):
            x = number_at(numbers)
            if not (abs_(x) < TOP and (abs_(x) > BOTTOM or x == 0.0)):
                return -1
            at = put_text(at, x, digits)
            put_byte(at, mark)
            at += 1
            numbers += 8
        put_byte(at - 1, NEWLINE)
    return at - out


ENTRIES = Entries(
    "numbers",
    lambda: {"read_lines": (read_lines, (INT,) * 6), "write_lines": (write_lines, (INT,) * 6)},
    width=1,
    known_by=sha256(Path(__file__).read_bytes()).hexdigest(),
)
