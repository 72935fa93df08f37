import { registerAuthorizer } from './cel-authorizer.ts'
import { registerFormats } from './cel-formats.ts'
import { registerLists } from './cel-lists.ts'
import { registerNetwork } from './cel-network.ts'
import { registerQuantity } from './cel-quantity.ts'
import { registerStrings } from './cel-strings.ts'
import { registerUrl } from './cel-url.ts'

/** Where functions, types and constants are made known to CEL. */
export interface Registrar {
  registerFunction(signature: string, handler: (...args: never[]) => unknown): unknown
  registerOperator(signature: string, handler: (left: never, right: never) => unknown): unknown
  registerType(name: string, type: ValueClass | TypeWithFields): unknown
  registerConstant(name: string, type: string, value: unknown): unknown
}

type ValueClass = new (...args: never[]) => object

/** A class whose values have fields that expressions can name, each with its type. */
export interface TypeWithFields {
  readonly ctor: ValueClass
  readonly fields: Readonly<Record<string, string>>
}

export interface Values {
  readonly of: (value: unknown) => unknown
  readonly none: () => unknown
  /** An error of the expression's author or data, to be thrown. */
  readonly fail: (message: string) => Error
}

/** What Kubernetes adds to CEL, as far as kube-apiserver 1.32 has it. */
export function registerLibrary(to: Registrar, values: Values): void {
  registerIdentities(to)
  registerStrings(to, values)
  registerLists(to, values)
  registerFormats(to, values)
  registerQuantity(to, values)
  registerNetwork(to, values)
  registerUrl(to, values)
  registerAuthorizer(to)
}

/** A field whose format makes it a time already may still be converted. */
function registerIdentities(to: Registrar): void {
  for (const name of ['Timestamp', 'Duration']) {
    const type = `google.protobuf.${name}`
    to.registerFunction(`${name.toLowerCase()}(${type}): ${type}`, (value: unknown) => value)
  }
}
