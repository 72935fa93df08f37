import type { Input } from '@machinist/kube/controller/controller'

/** What the operator does, in the order in which a failure is told: its name is part of the reason. */
export const tasks = [
  'RenderConfig',
  'MachineConfiguration',
  'MachineConfigPools',
  'MachineConfigController',
  'RequiredPools',
] as const

export type Task = (typeof tasks)[number]

/** A task that a person has to help. */
export interface Failure {
  readonly task: Task
  readonly message: string
}

/**
 * What loops of this process cannot do and no object of the cluster shows. It is kept in memory only: whoever failed tries
 * again after a restart, and tells again.
 */
export class TaskReports {
  readonly #failures = new Map<string, Failure>()
  readonly #listeners = new Set<() => void>()

  /** `about` is the object that it fails for, such as a pool. Tells whether it is news. */
  failed(task: Task, about: string, message: string): boolean {
    const key = `${task}/${about}`
    if (this.#failures.get(key)?.message === message) return false
    this.#failures.set(key, { task, message })
    this.#tell()
    return true
  }

  done(task: Task, about: string): void {
    if (this.#failures.delete(`${task}/${about}`)) this.#tell()
  }

  list(): Failure[] {
    return [...this.#failures]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, failure]) => failure)
  }

  /** For the controller that shows them. */
  input(key: string): Input {
    return {
      resource: 'reports of the operator',
      synced: () => Promise.resolve(true),
      subscribe: (enqueue) => {
        const listener = (): void => enqueue(key, 0)
        this.#listeners.add(listener)
        // Something has to be shown even where nothing ever changes.
        listener()
        return () => void this.#listeners.delete(listener)
      },
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
