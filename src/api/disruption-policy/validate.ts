import { isObject } from '@machinist/core/encoding/json'
import { plain, quoted } from '@machinist/core/quoted'
import type { FieldProblem } from '../validation/machine-config.ts'

/** The policy of a user, or the policy in effect, which may have more entries and the action `Special`. */
export type PolicyForm = 'user' | 'cluster'

/** All problems for which the API server would reject a policy. Accepts any value. */
export function policyProblems(policy: unknown, form: PolicyForm = 'user'): FieldProblem[] {
  return [...new PolicyCheck(form).policy(policy)]
}

const userTypes = ['Reboot', 'Drain', 'Reload', 'Restart', 'DaemonReload', 'None']
const maxEntries = { user: 50, cluster: 100 } as const
const maxActions = 10

const unitType =
  /^[a-zA-Z0-9:._\\-]+\.(service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$/
const maxNameLength = 255

class PolicyCheck {
  readonly #form: PolicyForm
  readonly #types: readonly string[]

  constructor(form: PolicyForm) {
    this.#form = form
    this.#types = form === 'cluster' ? [...userTypes, 'Special'] : userTypes
  }

  *policy(policy: unknown): Iterable<FieldProblem> {
    if (!isObject(policy)) {
      yield { path: '', message: 'must be an object with files, units and sshkey' }
      return
    }
    for (const field of Object.keys(policy)) {
      if (!['files', 'units', 'sshkey'].includes(field)) {
        yield {
          path: plain(field),
          message: 'is not a field of a policy; use files, units or sshkey',
        }
      }
    }
    yield* this.#entries(policy['files'], 'files', 'path', pathProblem)
    yield* this.#entries(policy['units'], 'units', 'name', unitProblem)
    const sshkey = policy['sshkey']
    if (sshkey === undefined) return
    if (isObject(sshkey)) yield* this.#actions(sshkey['actions'], 'sshkey.actions')
    else yield { path: 'sshkey', message: 'must be an object with actions' }
  }

  *#entries(
    entries: unknown,
    field: string,
    key: string,
    keyProblem: (text: string) => string | undefined,
  ): Iterable<FieldProblem> {
    if (entries === undefined) return
    if (!Array.isArray(entries)) {
      yield { path: field, message: 'must be a list' }
      return
    }
    const most = maxEntries[this.#form]
    if (entries.length > most) {
      yield { path: field, message: `has ${entries.length} entries; at most ${most} are allowed` }
    }
    const seen = new Set<string>()
    for (const [i, entry] of (entries as unknown[]).entries()) {
      const place = `${field}[${i}]`
      if (!isObject(entry) || typeof entry[key] !== 'string') {
        yield { path: place, message: `must be an object with ${key} and actions` }
        continue
      }
      const text = entry[key]
      const problem = seen.has(text) ? `${quoted(text)} is listed twice` : keyProblem(text)
      if (problem !== undefined) yield { path: `${place}.${key}`, message: problem }
      seen.add(text)
      yield* this.#actions(entry['actions'], `${place}.actions`)
    }
  }

  *#actions(actions: unknown, path: string): Iterable<FieldProblem> {
    if (!Array.isArray(actions)) {
      yield { path, message: 'must be a list' }
      return
    }
    if (actions.length > maxActions) {
      yield { path, message: `has ${actions.length} actions; at most ${maxActions} are allowed` }
    }
    for (const [i, action] of (actions as unknown[]).entries()) {
      yield* this.#action(action, `${path}[${i}]`)
    }
    for (const type of ['Reboot', 'None']) {
      const has = actions.some((action) => isObject(action) && action['type'] === type)
      if (has && actions.length > 1) yield { path, message: `${type} must be the only action` }
    }
  }

  *#action(action: unknown, path: string): Iterable<FieldProblem> {
    const type = isObject(action) ? action['type'] : undefined
    if (!isObject(action) || typeof type !== 'string' || !this.#types.includes(type)) {
      const message = `must be one of ${this.#types.join(', ')}`
      yield { path: `${path}.type`, message }
      return
    }
    for (const [field, owner] of [
      ['reload', 'Reload'],
      ['restart', 'Restart'],
    ] as const) {
      const service = action[field]
      if ((service !== undefined) !== (type === owner)) {
        const message = type === owner ? `is required for ${owner}` : `is only allowed for ${owner}`
        yield { path: `${path}.${field}`, message }
      } else if (service !== undefined) {
        const name = isObject(service) ? service['serviceName'] : undefined
        const problem = typeof name === 'string' ? unitProblem(name) : 'must be a string'
        if (problem) yield { path: `${path}.${field}.serviceName`, message: problem }
      }
    }
  }
}

function pathProblem(path: string): string | undefined {
  return path === '' ? 'must not be empty' : undefined
}

function unitProblem(name: string): string | undefined {
  if (name.length > maxNameLength) return `is longer than ${maxNameLength} characters`
  return unitType.test(name) ? undefined : `${quoted(name)} is not a valid systemd unit name`
}
