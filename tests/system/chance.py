# SPDX-License-Identifier: MIT
"""What chance may bring about. What is right fails each check here with a probability of at most
10^-10.

Bounds are Chernoff's: of n independent trials of probability p, the probability of n q successes or
more (q > p), or of so many or fewer (q < p), is at most exp(-n D(q, p)), whatever n is, with D(q,
p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)).
"""

import math

EXPONENT = math.log(2e10)  # both tails together have 10^-10
# Two independent divergences x + y with tails 2 exp(-x): P(x + y >= s) <= 4 (1 + s) exp(-s).
EXPONENT_OF_TWO = 29.0
SIGMAS = 6.5  # of a normal distribution: both tails together have 0.8 * 10^-10
# An interrupt that the host makes late is followed by those for what was missed meanwhile, four at
# most (docs/pmu.md): as many samples of one place.
AT_ONCE = 5
QUANTILE_99 = 2.576  # errors that kov prints are so many standard deviations


def _term(q, p):
    return 0.0 if q == 0 else math.inf if p == 0 else q * math.log(q / p)


def divergence(q, p):
    return _term(q, p) + _term(1 - q, 1 - p)


def may_be(successes, trials, probability, at_once=1):
    """Whether so many trials of this probability may have so many successes; at_once: so many of
    them are one trial."""
    return trials / at_once * divergence(successes / trials, probability) <= EXPONENT


def trials_to_tell(probability, other, at_once=1):
    """How many trials it takes until successes at the other one's rate may not be of this one."""
    return math.ceil(at_once * EXPONENT / divergence(other, probability))


def may_be_alike(one, other, at_once=(1, 1)):
    """Whether two measurements (successes, trials) may be of the same probability, whatever it
    is."""
    rates = [successes / trials for successes, trials in (one, other)]
    weights = [trials / together for (_, trials), together in zip((one, other), at_once)]
    # the one that makes it likeliest
    p = sum(rate * weight for rate, weight in zip(rates, weights)) / sum(weights)
    return sum(weight * divergence(rate, p)
               for rate, weight in zip(rates, weights)) <= EXPONENT_OF_TWO


def certainly(error):
    """Within what a number with this error is of the truth: kov's own holds in 99 of 100 cases
    only."""
    return error * SIGMAS / QUANTILE_99
