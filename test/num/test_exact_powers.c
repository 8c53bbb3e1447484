// The f32 roots, exponentials and hyperbolic functions against MPFR, a million arguments each. make exhaustive tries every argument.

#include "exact_reference.h"

ROUNDED(sqrt)
ROUNDED(cbrt)
ROUNDED(exp)
ROUNDED(exp2)
ROUNDED(expm1)
ROUNDED(sinh)
ROUNDED(cosh)
ROUNDED(tanh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sqrt_is_correctly_rounded),  cmocka_unit_test(cbrt_is_correctly_rounded),
        cmocka_unit_test(exp_is_correctly_rounded),   cmocka_unit_test(exp2_is_correctly_rounded),
        cmocka_unit_test(expm1_is_correctly_rounded), cmocka_unit_test(sinh_is_correctly_rounded),
        cmocka_unit_test(cosh_is_correctly_rounded),  cmocka_unit_test(tanh_is_correctly_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
