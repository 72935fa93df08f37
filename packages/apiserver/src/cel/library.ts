import { registerAuthorizer } from './authorizer.ts'
import { registerFormats } from './formats.ts'
import { registerLists } from './lists.ts'
import { registerNetwork } from './network.ts'
import { registerQuantity } from './quantity.ts'
import { registerStrings } from './strings.ts'
import { registerUrl } from './url.ts'

/** Registers functions, types and constants with CEL. */
export interface Registrar {
  registerFunction(signature: string, handler: (...args: never[]) => unknown): unknown
  registerOperator(signature: string, handler: (left: never, right: never) => unknown): unknown
  registerType(name: string, type: ValueClass | TypeWithFields): unknown
  registerConstant(name: string, type: string, value: unknown): unknown
}

type ValueClass = new (...args: never[]) => object

/** A class whose instances have typed fields that expressions can select. */
export interface TypeWithFields {
  readonly ctor: ValueClass
  readonly fields: Readonly<Record<string, string>>
}

export interface Values {
  readonly of: (value: unknown) => unknown
  readonly none: () => unknown
  /** Creates an error caused by the expression or its data, to be thrown. */
  readonly fail: (message: string) => Error
}

/** The CEL library of Kubernetes, as in kube-apiserver 1.32. */
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

/** Conversions of values that already have the target type because of their format. */
function registerIdentities(to: Registrar): void {
  for (const name of ['Timestamp', 'Duration']) {
    const type = `google.protobuf.${name}`
    to.registerFunction(`${name.toLowerCase()}(${type}): ${type}`, (value: unknown) => value)
  }
}
