#include <marram/marram.h>
int main(void)
{
    mr_context *context;
    if (!mr_context_create(NULL, &context, NULL))
        return 1;
    mr_context_destroy(context);
    return mr_version()[0] ? 0 : 1;
}
