# SPDX-License-Identifier: Apache-2.0
# Unpacks the archives as nobody into two folders, moves them, and uses them from a third; nothing else is installed.
for archive in /source/build/packages/t2nnef-*-linux-*.tar.gz; do
  as_nobody mkdir -p first "second folder"
  as_nobody tar -xzf "$archive" -C first
  as_nobody mv "first/$(basename "$archive" .tar.gz)" "second folder/t2nnef"
  program="$work/second folder/t2nnef/bin/t2nnef"
  case $archive in
    *libtorch*) exported as_nobody env T2NNEF_TRACT_LIB="$T2NNEF_TRACT_LIB" "$program" ;;
    *) exported as_nobody env T2NNEF_TORCH=/torch T2NNEF_TRACT_LIB="$T2NNEF_TRACT_LIB" "$program" ;;
  esac
  # As a link on PATH, too.
  as_nobody ln -sf "$program" link
  as_nobody ./link --version >/dev/null
  rm -rf first "second folder" link
done
