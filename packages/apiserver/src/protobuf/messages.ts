import type { Field, Message } from './message-text.ts'
import { messagesOf } from './message-text.ts'
import { apiextensionsMessages } from './messages/apiextensions.ts'
import { appsMessages } from './messages/apps.ts'
import { coreMessages } from './messages/core.ts'
import { metaMessages } from './messages/meta.ts'
import { podMessages } from './messages/pod.ts'
import * as small from './messages/small-groups.ts'
import { volumeMessages } from './messages/volume.ts'

/** The messages of one group version, for protobuf and OpenAPI. */
interface Package {
  /** Absent: the package has no kinds, only parts of others. */
  readonly apiVersion?: string
  /** Its prefix in Kubernetes' OpenAPI documents. */
  readonly openApi: string
  readonly text: string
}

const packages: Readonly<Record<string, Package>> = {
  meta: { openApi: 'io.k8s.apimachinery.pkg.apis.meta.v1', text: metaMessages },
  core: {
    apiVersion: 'v1',
    openApi: 'io.k8s.api.core.v1',
    text: coreMessages + podMessages + volumeMessages,
  },
  apps: { apiVersion: 'apps/v1', openApi: 'io.k8s.api.apps.v1', text: appsMessages },
  authentication: ofGroup('authentication', small.authenticationMessages),
  authorization: ofGroup('authorization', small.authorizationMessages),
  autoscaling: {
    apiVersion: 'autoscaling/v1',
    openApi: 'io.k8s.api.autoscaling.v1',
    text: small.autoscalingMessages,
  },
  certificates: ofGroup('certificates', small.certificatesMessages),
  coordination: ofGroup('coordination', small.coordinationMessages),
  events: ofGroup('events', small.eventsMessages),
  policy: {
    apiVersion: 'policy/v1',
    openApi: 'io.k8s.api.policy.v1',
    text: small.policyMessages,
  },
  rbac: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    openApi: 'io.k8s.api.rbac.v1',
    text: small.rbacMessages,
  },
  apiextensions: {
    apiVersion: 'apiextensions.k8s.io/v1',
    openApi: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    text: apiextensionsMessages,
  },
}

function ofGroup(name: string, text: string): Package {
  return { apiVersion: `${name}.k8s.io/v1`, openApi: `io.k8s.api.${name}.v1`, text }
}

/** A message by its full name, e.g. `core.PodSpec`. */
export function messageNamed(name: string): Message | undefined {
  return known().get(name)
}

/** The message of a built-in kind, if known. DeleteOptions exists in every group. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  if (kind === 'DeleteOptions') return messageNamed('meta.DeleteOptions')
  for (const [name, pack] of Object.entries(packages)) {
    if (pack.apiVersion !== apiVersion) continue
    const message = messageNamed(`${name}.${kind}`)
    return message?.role === 'kind' ? message : undefined
  }
  return undefined
}

/** The fields of a message as in JSON, with inlined messages expanded. */
export function allFields(message: Message): Field[] {
  return [...message.fields.values()].flatMap((field) =>
    field.name === '' ? allFields(messageNamed(field.type)!) : [field],
  )
}

/** `core.PodSpec` → `io.k8s.api.core.v1.PodSpec` */
export function openApiName(message: string): string {
  const dot = message.indexOf('.')
  return `${packages[message.slice(0, dot)]!.openApi}${message.slice(dot)}`
}

let parsed: ReadonlyMap<string, Message> | undefined

/** Parsed on first use: many servers never receive protobuf. */
function known(): ReadonlyMap<string, Message> {
  parsed ??= new Map(
    Object.entries(packages)
      .flatMap(([name, pack]) => messagesOf(name, pack.text))
      .map((message) => [message.name, message]),
  )
  return parsed
}
