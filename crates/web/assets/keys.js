// Keys of matches and tournaments that were started in this browser: only who has the key may move or abort.

const name = (id) => `ludens.key.${id}`;

export function keepKey(id, key) {
  if (key) localStorage.setItem(name(id), key);
}

export function keyOf(id) {
  return localStorage.getItem(name(id));
}
