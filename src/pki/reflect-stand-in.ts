/**
 * A package inside @peculiar/x509 refuses to load unless decorators' metadata can be looked up. It finds none, because the
 * library was built without; so three functions that know nothing stand in for a package that patches all of Reflect.
 */
const standIn = {
  getMetadata: (): undefined => undefined,
  getOwnMetadata: (): undefined => undefined,
  defineMetadata: (): void => {},
}

for (const [name, value] of Object.entries(standIn)) {
  if (!(name in Reflect)) Object.defineProperty(Reflect, name, { value, configurable: true })
}
