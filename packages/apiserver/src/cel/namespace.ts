import type { Registrar } from './library.ts'

/** A namespace whose functions are called as methods: `sets.contains(…)`. Its type is `SetsNamespace`. */
export function registerNamespace(to: Registrar, name: string): void {
  // CEL determines a value's type by its class, so each namespace has its own class.
  const Namespace = class {
    readonly name = name
  }
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Namespace`
  to.registerType(type, Namespace)
  to.registerConstant(name, type, new Namespace())
}
