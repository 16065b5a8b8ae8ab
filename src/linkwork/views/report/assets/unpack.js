// Reads what packing.py wrote: five letters for four bytes, then gzip.
"use strict";
async function unpacked(id) {
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#]%:()*+-;.=,?@^_[{|}~";
  const value = new Uint8Array(128);
  for (let i = 0; i < 85; i++) value[letters.charCodeAt(i)] = i;
  const text = document.getElementById(id).textContent, n = text.length;
  const bytes = new Uint8Array(Math.ceil(n / 5) * 4);
  for (let i = 0, at = 0; i < n; i += 5) {
    let word = 0;
    for (let k = i; k < i + 5; k++) word = word * 85 + (k < n ? value[text.charCodeAt(k)] : 84);
    for (let shift = 24; shift >= 0; shift -= 8) bytes[at++] = word >>> shift;
  }
  const whole = bytes.subarray(0, Math.floor(n / 5) * 4 + (n % 5 ? (n % 5) - 1 : 0));
  const stream = new Blob([whole]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
