#!/bin/sh
# Installs the system packages that a set-up step lacks, or says the command that would.
#
#   sh installer/packages.sh REASON PACKAGES [OTHER-PACKAGES…]
#
# REASON opens the sentence for people ("there is no C compiler, which the tests need").
# Each further argument is one way to mend it, a space-separated list of Debian/Ubuntu packages;
# the first way that apt knows is taken. Exit code 0: installed; 1: it could not be, and was said.

reason=$1
shift

say() { printf 'Workerbee cannot be set up yet: %s\n' "$1" >&2; }

if [ "$(id -u)" = 0 ]; then sudo=""; else sudo="sudo "; fi

# Only without a password: a set-up that stops to ask for one cannot run unattended.
as_root() {
    if [ -z "$sudo" ]; then "$@"; else sudo -n "$@"; fi
}

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null 2>&1; }

offered() {
    for way; do
        if apt-cache show "${way%% *}" >/dev/null 2>&1; then
            echo "$way"
            return 0
        fi
    done
    return 1
}

if ! command -v apt-get >/dev/null 2>&1; then
    say "$reason; install $1 with this system's package manager, under whatever name it has there."
    exit 1
fi

if as_root true >/dev/null 2>&1; then may_install=yes; else may_install=no; fi

# A fresh container has no package lists at all, and old lists name packages that are gone.
if [ $may_install = yes ]; then apt_get update >/dev/null; fi

if ! packages=$(offered "$@"); then
    say "$reason, and apt does not offer it here (${sudo}apt-get update may help)."
    exit 1
fi

if [ $may_install = yes ]; then
    echo "Installing $packages through apt, because $reason." >&2
    # Unquoted on purpose: a list of packages is several words.
    if output=$(apt_get install -y --no-install-recommends $packages); then exit 0; fi
    printf '%s\n' "$output" >&2
fi
say "$reason; this mends it: ${sudo}apt-get install $packages"
exit 1
