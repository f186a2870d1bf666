(* SPDX-License-Identifier: MIT
   The machine, as Frama-C sees it: 64-bit PowerPC, big endian, ELFv1. *)
open Cil_types

let ppc64 =
  { Machdeps.gcc_x86_64 with
    version = "powerpc64-linux-gnu-gcc, ELFv1, big endian";
    cpp_arch_flags = [];
    sizeof_longdouble = 8;
    alignof_longdouble = 8;
    wchar_t = "int";
    char_is_unsigned = true;
    little_endian = false;
    alignof_aligned = 16 }

let () = File.new_machdep "ppc64" ppc64
