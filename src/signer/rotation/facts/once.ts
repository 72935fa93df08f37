type Reader<T extends object, R> = (object: T) => R
const memory = new WeakMap<Reader<never, unknown>, WeakMap<object, unknown>>()

/** Caches the result of a reader per object: objects in caches are immutable, so another state is another object. */
export function once<T extends object, R>(read: Reader<T, R>, object: T): R {
  let known = memory.get(read)
  if (!known) memory.set(read, (known = new WeakMap()))
  if (!known.has(object)) known.set(object, read(object))
  return known.get(object) as R
}
