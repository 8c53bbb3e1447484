// The f32 logarithms against MPFR, a million arguments each. make exhaustive tries every argument.

#include "exact_reference.h"

ROUNDED(log)
ROUNDED(log2)
ROUNDED(log10)
ROUNDED(log1p)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_is_correctly_rounded),
        cmocka_unit_test(log2_is_correctly_rounded),
        cmocka_unit_test(log10_is_correctly_rounded),
        cmocka_unit_test(log1p_is_correctly_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
