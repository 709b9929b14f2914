// Keys of matches and tournaments started in this browser. Moving and aborting need the key.

const name = (id) => `ludens.key.${id}`;

export function keepKey(id, key) {
  if (key) localStorage.setItem(name(id), key);
}

export function keyOf(id) {
  return localStorage.getItem(name(id));
}
