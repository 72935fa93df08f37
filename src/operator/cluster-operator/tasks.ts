import type { Input } from '@machinist/kube/controller/controller'

/** The tasks of the operator, in the order in which failures are reported; the name is part of the reason. */
export const tasks = [
  'RenderConfig',
  'MachineConfiguration',
  'MachineConfigPools',
  'ProvisioningTokens',
  'MachineConfigController',
  'MachineConfigServer',
  'RequiredPools',
] as const

export type Task = (typeof tasks)[number]

/** A failing task that needs a user to act. */
export interface TaskFailure {
  readonly task: Task
  readonly message: string
}

/**
 * Failures of controllers of this process that no object of the cluster reports. In memory only: after a restart, a failing
 * controller fails and reports again.
 */
export class TaskReports {
  readonly #failures = new Map<string, TaskFailure>()
  readonly #listeners = new Set<() => void>()

  /** `about` is the failing object, such as a pool. Returns whether the failure is new. */
  failed(task: Task, about: string, message: string): boolean {
    const key = `${task}/${about}`
    if (this.#failures.get(key)?.message === message) return false
    this.#failures.set(key, { task, message })
    this.#notify()
    return true
  }

  done(task: Task, about: string): void {
    if (this.#failures.delete(`${task}/${about}`)) this.#notify()
  }

  list(): TaskFailure[] {
    return [...this.#failures]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, failure]) => failure)
  }

  /** The input of the controller that reports them. */
  input(key: string): Input {
    return {
      resource: 'reports of the operator',
      synced: () => Promise.resolve(true),
      subscribe: (enqueue) => {
        const listener = (): void => enqueue(key, 0)
        this.#listeners.add(listener)
        // The first report must not wait for a change.
        listener()
        return () => void this.#listeners.delete(listener)
      },
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
