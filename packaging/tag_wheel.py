"""Tags a wheel with the oldest glibc that it runs on: the newest version among the symbols that its files need.

Ends with exit code 1 if one of them needs a library besides those of glibc. Run by scripts/wheel; needs objdump and the
package `wheel`. (auditwheel would copy libraries into the wheel, where programs do not find them.)

    python packaging/tag_wheel.py laxity-0.1.0-cp312-abi3-linux_x86_64.whl
"""

import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt)\.so\.\d+|ld-linux[-\w]*\.so\.\d+")


def needs(file):
    """Return the libraries that a program or library needs, and the newest version of glibc among its symbols."""
    text = subprocess.run(["objdump", "-p", file], capture_output=True, text=True, check=True).stdout
    versions = [tuple(map(int, found)) for found in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text)]
    return set(re.findall(r"NEEDED\s+(\S+)", text)), max(versions, default=(2, 17))


def newest_glibc(wheel):
    """Return the newest version of glibc that a wheel needs; exits if it needs another library."""
    newest, files = (2, 17), 0
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as content:
        for name in content.namelist():
            file = Path(content.extract(name, folder))
            if file.is_dir() or file.read_bytes()[:4] != b"\x7fELF":
                continue
            libraries, version = needs(file)
            others = sorted(library for library in libraries if not GLIBC.fullmatch(library))
            if others:
                sys.exit(f"wheel: {name} needs {', '.join(others)}, which a machine may not have")
            newest, files = max(newest, version), files + 1
    if not files:
        sys.exit(f"wheel: there is no program in {wheel}")
    return newest


if __name__ == "__main__":
    major, minor = newest_glibc(sys.argv[1])
    tag = f"manylinux_{major}_{minor}_{platform.machine()}"
    subprocess.run([sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, sys.argv[1]], check=True)
