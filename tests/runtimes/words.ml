(* SPDX-License-Identifier: Apache-2.0 *)
(* Words in tables, an exception from deep down, some large strings.  OCaml says how large its heap is. *)
exception Bottom of int

let build words =
  let made = Hashtbl.create 16 in
  for i = 0 to words - 1 do
    let word = "word " ^ string_of_int (i mod 1000) in
    let before = try Hashtbl.find made word with Not_found -> [] in
    Hashtbl.replace made word (i :: before)
  done;
  made

let rec down n = if n = 0 then raise (Bottom 1) else 1 + down (n - 1)

let () =
  let kept = List.init 10 (fun round -> build (100000 + round)) in
  let caught = try down 1000 with Bottom n -> n in
  let large = Array.init 5 (fun i -> Bytes.create (1_000_000 * (i + 1))) in
  Printf.printf "%d tables, caught %d, %d bytes\n" (List.length kept) caught (Bytes.length large.(4));
  Printf.eprintf "heap_bytes %d\n" ((Gc.quick_stat ()).Gc.heap_words * 8);
  exit 7
