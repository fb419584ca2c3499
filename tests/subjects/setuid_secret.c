/* A program whose addresses nobody but its owner may learn: linked to lie at 0x5a000000, so that
 * any event of it is known by its address.  The kernel itself writes to the end of its data while
 * it begins. */
#include <unistd.h>

static volatile char data[5000] = {1};
static volatile char zeros[1 << 16];

int main(void)
{
    for (unsigned i = 0; i < sizeof(zeros); i += 4096)
        zeros[i] = data[i % sizeof(data)];
    return geteuid() == getuid();
}
