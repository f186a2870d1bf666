// SPDX-License-Identifier: MIT
// math.h: known values, identities, special cases.
#include "tests.h"

#include <float.h>
#include <math.h>

// Equal to within a few units in the last place.
static int near(double a, double b)
{
    return a == b || fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

static void known(void)
{
    EXPECT(near(sin(1), 0.8414709848078965) && near(cos(1), 0.5403023058681398));
    EXPECT(near(tan(1), 1.5574077246549022) && near(atan2(1, -1), 2.356194490192345));
    EXPECT(near(exp(1), 2.718281828459045) && near(log(10), 2.302585092994046));
    EXPECT(near(log2(8), 3) && near(log10(1000), 3) && near(pow(2, 0.5), 1.4142135623730951));
    EXPECT(sqrt(2) == 1.4142135623730951 && near(cbrt(27), 3) && near(hypot(3, 4), 5));
    EXPECT(near(sinh(1), 1.1752011936438014) && near(tanh(0.5), 0.46211715726000973));
    EXPECT(near(asin(0.5), 0.5235987755982989) && near(acos(0.5), 1.0471975511965979));
    EXPECT(near(tgamma(5), 24) && near(erf(0.5), 0.5204998778130465));
    EXPECT(near(sin(1e15), 0.8582727931702359)); // far argument reduction
    EXPECT(fabsf(sinf(1) - 0.84147098f) < 1e-6f && sqrtf(9) == 3);
}

static void rounding(void)
{
    EXPECT(floor(-1.5) == -2 && ceil(-1.5) == -1 && trunc(-1.5) == -1 && round(-1.5) == -2);
    EXPECT(rint(2.5) == 2 && nearbyint(3.5) == 4 && lround(2.5) == 3);
    EXPECT(fmod(7, 3) == 1 && fmod(-7, 3) == -1 && remainder(7, 4) == -1);
    double whole;
    EXPECT(modf(3.75, &whole) == 0.75 && whole == 3);
    int exponent;
    EXPECT(frexp(12, &exponent) == 0.75 && exponent == 4 && ldexp(0.75, 4) == 12);
    EXPECT(fma(2, 3, 4) == 10 && copysign(3, -0.0) == -3);
    EXPECT((long)3.99 == 3 && (unsigned char)200.5 == 200);
}

static void special(void)
{
    EXPECT(isnan(sqrt(-1)) && isinf(1 / 0.0) && isnan(NAN - NAN) && signbit(-0.0));
    EXPECT(isinf(exp(1000)) && exp(-1000) == 0 && log(0) == -INFINITY && isnan(log(-1)));
    EXPECT(pow(0, 0) == 1 && pow(INFINITY, -1) == 0 && isnan(pow(-1, 0.5)));
    EXPECT(fmax(NAN, 1) == 1 && fmin(NAN, 1) == 1 && !(NAN == NAN));
    EXPECT(fpclassify(DBL_MIN / 2) == FP_SUBNORMAL && isfinite(DBL_MAX) && !isfinite(INFINITY));
}

static void identities(void)
{
    for (int i = -50; i <= 50; i++) {
        double x = i * 0.37;
        EXPECT(fabs(sin(x) * sin(x) + cos(x) * cos(x) - 1) < 1e-15 * 8);
        EXPECT(fabs(atan(tan(x / 40)) - x / 40) < 1e-15);
        EXPECT(near(log(exp(x)), x) || fabs(x) < 1e-9);
    }
}

void test_math(void)
{
    known();
    rounding();
    special();
    identities();
}
