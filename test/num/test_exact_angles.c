// The f32 circular functions and their inverses against MPFR, a million arguments each. make exhaustive tries every argument.

#include "exact_reference.h"

ROUNDED(sin)
ROUNDED(cos)
ROUNDED(tan)
ROUNDED(asin)
ROUNDED(acos)
ROUNDED(atan)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sin_is_correctly_rounded),  cmocka_unit_test(cos_is_correctly_rounded),
        cmocka_unit_test(tan_is_correctly_rounded),  cmocka_unit_test(asin_is_correctly_rounded),
        cmocka_unit_test(acos_is_correctly_rounded), cmocka_unit_test(atan_is_correctly_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
