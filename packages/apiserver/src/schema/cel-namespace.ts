import type { Registrar } from './cel-library.ts'

/** A name whose functions are called as methods: `sets.contains(…)`. Its type is `SetsNamespace`. */
export function registerNamespace(to: Registrar, name: string): void {
  // CEL knows a value's type by its class, so each namespace has a class of its own.
  const Namespace = class {
    readonly name = name
  }
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Namespace`
  to.registerType(type, Namespace)
  to.registerConstant(name, type, new Namespace())
}
