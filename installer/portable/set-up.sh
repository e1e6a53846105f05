#!/bin/sh
# Puts Workerbee into the home folder of whoever runs this, or takes it away again. Needs no root.
#
#   sh workerbee-VERSION.run                install, or renew
#   sh workerbee-VERSION.run -- --remove    remove the program; engines, keys and settings: `workerbee reset`
set -e

here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
program=$HOME/.local/lib/workerbee
launcher=$HOME/.local/bin/workerbee

fail() { printf 'Workerbee cannot be installed yet: %s\n' "$1" >&2; exit 1; }

# The interpreter behind $1, if it suits: what has led to it, a project's own environment, may be gone tomorrow.
# With $2 "system" none of conda's environments, which are interpreters of their own. The kernel splits "#!" at spaces.
resolve() {
    "$1" -I - "$2" 2>/dev/null <<'END'
import os, sys
path = getattr(sys, "_base_executable", "") or sys.executable
general = os.path.join(os.path.dirname(path), "python3")
if os.path.exists(general) and os.path.samefile(general, path):
    path = general
is_conda = os.path.isdir(os.path.join(sys.base_prefix, "conda-meta"))
if not (3, 11) <= sys.version_info[:2] <= (3, 14) or path.split() != [path] or (is_conda and sys.argv[1] == "system"):
    sys.exit(1)
print(path)
END
}

# The first one named $1 on the PATH that suits; in a process of its own, as IFS and globbing are changed.
first_on_path() (
    IFS=:
    set -f
    for folder in $PATH; do
        if resolve "$folder/$1" "$2"; then exit 0; fi
    done
    exit 1
)

# That of the installed version as long as it suits, whatever environment happens to be active.
find_python() {
    if resolve "$(sed -n '1s/^#!\(.*\) -I$/\1/p' "$launcher" 2>/dev/null)" any; then return 0; fi
    for origin in system any; do
        for name in python3 python3.14 python3.13 python3.12 python3.11; do
            if first_on_path "$name" "$origin"; then return 0; fi
        done
    done
    return 1
}

# One column of libraries.txt is one package manager's.
say_missing() {
    missing=$("$python" - "$here/libraries.txt" <<'END'
import ctypes, sys
for line in open(sys.argv[1]):
    if not line.startswith("#"):
        try:
            ctypes.CDLL(line.split()[0])
        except OSError:
            print(line.strip())
END
    )
    if [ -z "$missing" ]; then return 0; fi
    column=2
    for manager in "apt-get install" "dnf install" "pacman -S" "zypper install"; do
        if command -v "${manager%% *}" >/dev/null 2>&1; then
            packages=$(printf '%s\n' "$missing" | cut -d' ' -f$column | sort -u | tr '\n' ' ')
            fail "the window needs libraries that this system lacks; this brings them: sudo $manager ${packages% }"
        fi
        column=$((column + 1))
    done
    fail "the window needs libraries that this system lacks: $(printf '%s\n' "$missing" | cut -d' ' -f1 | tr '\n' ' ')"
}

# Where the desktop looks for menu entries, icons and kinds of files.
shared() { (cd "$here/share" && find . -type f | sed 's|^\./||'); }

refresh() {
    if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$data/applications" || true; fi
    if command -v update-mime-database >/dev/null; then update-mime-database "$data/mime" >/dev/null 2>&1 || true; fi
}

# The program that starts what is in the folder $1, as the file $2; the folders stand in it as Python writes texts.
write_launcher() {
    "$python" -I - "$here/workerbee" "$1" "$2" "$python" <<'END'
import pathlib, sys
template, folder, launcher, python = sys.argv[1:]
words = pathlib.Path(template).read_text("utf-8").partition("\n")[2]
for path in ("", "/vendor"):
    words = words.replace(f'"/usr/lib/workerbee{path}"', ascii(folder + path))
pathlib.Path(launcher).write_text(f"#!{python} -I\n{words}", "utf-8")
END
    chmod 755 "$2"
}

# Have the menu entry $1 start the launcher, as the Desktop Entry Specification quotes commands and escapes texts: the
# menu's program need not have ~/.local/bin on its PATH.
point_menu_entry() {
    "$python" -I - "$1" "$launcher" <<'END'
import pathlib, sys
entry, launcher = pathlib.Path(sys.argv[1]), sys.argv[2]
quoted = launcher.translate({ord(each): "\\" + each for each in '\\"`$'}).replace("%", "%%")
values = {"TryExec": launcher, "Exec": f'"{quoted}"'}
lines = []
for line in entry.read_text("utf-8").splitlines(keepends=True):
    key, _, command = line.partition("=workerbee")
    lines.append(key + "=" + values[key].replace("\\", "\\\\") + command if key in values else line)
entry.write_text("".join(lines), "utf-8", "surrogateescape")
END
}

# Whether the program in the folder $1 starts: the command, and all that the window loads. What it says is $said.
starts() {
    write_launcher "$1" "$1/trial"
    said=$("$1/trial" --version 2>&1 && "$python" -I - "$1" 2>&1 <<'END'
import sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/vendor"]
import app.startup
END
    ) && rm -f "$1/trial"
}

# The program that the service starts, as its unit quotes it; nothing where there is no service.
service_program() {
    unit=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/workerbee.service
    sed -n 's/^ExecStart="\(.*\)" "service" "run"$/\1/p' "$unit" 2>/dev/null | sed 's/%%/%/g; s/\\\(.\)/\1/g'
}

# Whether a program runs that the launcher has started.
is_running() {
    case $(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ') in *" -I $launcher "*) return 0 ;; esac
    return 1
}

# What runs would train on without its files: the service is stopped and removed, and an open window closed. It answers
# until it has said goodbye. Those of another installation, such as a package's, have the same folders, and go on.
end_all() {
    if [ ! -x "$launcher" ]; then return 0; fi
    if [ "$(service_program)" -ef "$launcher" ] && "$launcher" service remove >/dev/null 2>&1; then
        echo "Its service is stopped and removed."
    fi
    if ! is_running || ! "$launcher" quit >/dev/null 2>&1; then return 0; fi
    echo "Its window is closed."
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        "$launcher" status >/dev/null 2>&1 || return 0
        sleep 1
    done
}

if [ "$1" = --remove ]; then
    end_all
    shared | while read -r file; do rm -f "$data/$file"; done
    rm -rf "$program" "$program.new" "$program.old" "$launcher"
    refresh
    echo "Workerbee is removed. What it keeps of you is still there."
    exit 0
fi

python=$(find_python) || fail "there is no Python 3.11, 3.12, 3.13 or 3.14 here; install one with this system's package manager."
say_missing

# Where the computer went off between the two renames of an earlier call.
if [ -d "$program.old" ] && [ ! -d "$program" ]; then mv "$program.old" "$program"; fi
rm -rf "$program.new" "$program.old"
mkdir -p "$program.new" "$(dirname "$launcher")"
cp -R "$here/program/." "$program.new"
# The version that is there stays until the new one has started once.
if ! starts "$program.new"; then
    rm -rf "$program.new"
    if [ -d "$program" ]; then said="$said
The version that is installed was left as it was."; fi
    fail "it does not start here: $said"
fi
if [ -d "$program" ]; then mv "$program" "$program.old"; fi
mv "$program.new" "$program"
# A worker is confined, and may not write there: it would compile all of it at every start. Again, for the new path.
"$python" -I -m compileall -q -f "$program" || true
write_launcher "$program" "$launcher.new"
mv "$launcher.new" "$launcher"
# By this a Workerbee that runs knows that it was replaced: it says goodbye, and begins anew as this version.
cat /proc/sys/kernel/random/uuid >"$program/configured"
rm -rf "$program.old"
shared | while read -r file; do
    mkdir -p "$(dirname "$data/$file")"
    cp "$here/share/$file" "$data/$file"
done
point_menu_entry "$data/applications/workerbee.desktop"
refresh
echo "Workerbee is installed: look for it in the menu, or run $launcher."
