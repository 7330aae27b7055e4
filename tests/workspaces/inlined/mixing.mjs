function turn(value) {
  return (value << 3) ^ (value >> 2);
}




export function mix(value) {
  let mixed = turn(value);
  mixed = turn(mixed + 1);
  return mixed & 1023;
}
