#!/bin/sh
# Takes the place of the vendor's compiler, `riscv-tt-elf-g++`, where only Debian's gcc for RISC-V is installed.
# Code of the vector unit is built with float registers that stand for vector registers (include/vector/instructions.h).
# Firmware is not built: an image of the release with the same numbers of banks is taken.
set -eu
here=$(dirname "$0")/../..
# Defines compiler, headers (a list of -isystem options), vector_flags, libraries, jump_table, shadowed_kernel.
. "$here/toolchain"

processor=rv32im
output=
source=
step=link
is_firmware=
dram_banks=
l1_banks=
completion_page=
chip=wormhole
count=$#
case "$PWD" in */firmware/*) is_firmware=yes ;; esac
expects_output=
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  if [ -n "$expects_output" ]; then
    output=$argument
    expects_output=
    continue
  fi
  case "$argument" in
    -o)
      expects_output=yes
      continue
      ;;
    *.cc | *.cpp | *.c) source=$argument ;;
    -c) step=compile ;;
    -E | c++-header | --version) step=other ;;
    -DNUM_DRAM_BANKS=*) dram_banks=${argument#*=} ;;
    -DNUM_L1_BANKS=*) l1_banks=${argument#*=} ;;
    # The upper 20 bits, as an instruction loads them, of the register that counts completions.
    -DDISPATCH_MESSAGE_ADDR=*) completion_page=$(((${argument#*=} + 2048) >> 12)) ;;
    -mcpu=tt-bh*) processor=rv32im_zicsr_zba_zbb chip=blackhole ;;
  esac
  case "$argument" in
    -mcpu=tt-*-tensix)
      chip_name=${argument#-mcpu=tt-}
      set -- "$@" "-D__riscv_xtttensix${chip_name%-tensix}=1"
      ;;
    # Options of the vendor's compiler alone; warnings are upstream's own affair.
    -mcpu=tt-* | -ftt-* | -mno-tt-* | -mtt-* | -march=* | -flto* | -Werror* | -Wall) ;;
    -std=c++17) set -- "$@" -std=c++20 ;;
    */runtime/hw/lib/*.o)
      # The wheel's support objects hold only the vendor compiler's intermediate code.
      own=$here/lib/${argument##*/runtime/hw/lib/}
      if [ -e "$own" ]; then set -- "$@" "$own"; else set -- "$@" "$argument"; fi
      ;;
    *) set -- "$@" "$argument" ;;
  esac
done

if [ -n "$is_firmware" ] && [ "$step" = compile ]; then
  printf '%s %s %s %s\n' "$chip" "$dram_banks" "$l1_banks" "$completion_page" >"$output"
  printf '%s: %s\n' "$output" "$source" >"${output%.o}.d"
  exit 0
fi
if [ -n "$is_firmware" ] && [ "$step" = link ]; then
  for object in "$@"; do
    case "$object" in "$PWD"/*.o | ./*.o) read -r chip dram_banks l1_banks completion_page <"$object" ;; esac
  done
  image=$(basename "$PWD")
  while read -r set_chip set_dram set_l1 set_page folder; do
    if [ "$set_chip $set_dram $set_l1 $set_page" = "$chip $dram_banks $l1_banks $completion_page" ] && [ -e "$folder/$image/$image.elf" ]; then
      cp "$folder/$image/$image.elf" "$output"
      exit 0
    fi
  done <"$here/firmware"
  echo "the release has no firmware image $image for $chip with $dram_banks DRAM banks, $l1_banks L1 banks and completions at page $completion_page" >&2
  exit 1
fi

case "$PWD $*" in
  *"$shadowed_kernel"*) set -- "-I$here/shadow" "$@" ;;
esac
set -- -mabi=ilp32 -w -fno-jump-tables -include "$here/include/tensix_instruction.h" \
  -isystem "$here/include" $headers "$@"
if [ "$step" = link ]; then
  set -- -nostdlib -fno-lto "$@" -Wl,--defsym=__erisc_jump_table=$jump_table $libraries
fi
# Compiles for a processor. Messages go into a file, and the reason for a failure is found where there is another way.
attempt() {
  messages=$output.messages
  reason=
  "$compiler" "$@" -o "$output" 2>"$messages" || {
    reason=error
    if grep -q 'vector code needs float registers' "$messages"; then reason=vectors; fi
    if grep -q 'condition whose end the compiler loses sight of' "$messages"; then reason=conditions; fi
    if grep -q "'#pragma GCC unroll' requires" "$messages"; then reason=unrolling; fi
  }
}
# Compiles after preprocessing, without what gcc takes for an error before release 14: a parameter of a template as the
# number of times that a loop is unrolled.
attempt_without_unrolling() {
  preprocessed=$output.ii
  "$compiler" "$@" -E -MT "$output" -o "$preprocessed"
  sed -i 's/^ *#pragma GCC unroll *(*[A-Za-z].*$//' "$preprocessed"
  count=$#
  is_dropped=
  while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case "$is_dropped$argument" in
      yes*) is_dropped= ;;
      "$source") set -- "$@" -fpreprocessed "$preprocessed" ;;
      -include | -MF) is_dropped=yes ;;
      -MMD) ;;
      *) set -- "$@" "$argument" ;;
    esac
  done
  attempt "$@"
  rm -f "$preprocessed"
}
# The same with registers for vectors.
with_vectors() {
  compile=$1
  shift
  case "$processor" in
    rv32im_*) extended=rv32imfd_${processor#rv32im_} ;;
    *) extended=rv32imfd ;;
  esac
  set -- "-march=$extended" "$@" $vector_flags
  $compile -DHALLMARK_FOLLOWED_CONDITIONS "$@"
  if [ "$reason" = conditions ]; then $compile "$@"; fi
}
if [ "$step" = compile ]; then
  attempt "-march=$processor" "$@"
  case "$reason" in
    vectors) with_vectors attempt "$@" ;;
    unrolling)
      # Code of this kind is vector code more often than not.
      with_vectors attempt_without_unrolling "$@"
      if [ -n "$reason" ]; then
        mv "$messages" "$messages.vectors"
        attempt_without_unrolling "-march=$processor" "$@"
        if [ "$reason" = vectors ]; then cp "$messages.vectors" "$messages"; fi
        rm "$messages.vectors"
      fi
      ;;
  esac
  cat "$messages" >&2
  rm -f "$messages"
  [ -z "$reason" ]
  exit
fi
exec "$compiler" "-march=$processor" "$@" ${output:+-o "$output"}
