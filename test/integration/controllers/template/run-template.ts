import type { Config } from '@machinist/ignition/spec/config'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import type { ControllerConfig, MachineConfig } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { machineConfigIndexes } from '../../../../src/controllers/generated/caches.ts'
import { pullSecretScope } from '../../../../src/controllers/template/inputs.ts'
import type { TemplateSet } from '../../../../src/controllers/template/template-set.ts'
import { readTemplates } from '../../../../src/controllers/template/template-set.ts'
import { templateController } from '../../../../src/controllers/template/template.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { maker } from '../support/cluster-objects.ts'

/** Small templates; invalid for worker if an image is named `broken`. */
export const smallTemplates = (more: Record<string, string> = {}): TemplateSet =>
  readTemplates(
    new Map(
      Object.entries({
        'common/00/_base/files/etc/dns': '{{ clusterDNSIP }} {{ role }}\n',
        'common/00/_base/files/var/lib/kubelet/config.json':
          '---\nmode: 0600\nwhen: pullSecret\n---\n{{ pullSecret }}\n',
        'common/00/_base/files/etc/ca':
          "---\nwhen: certificateDelivery == 'rendered'\n---\n{{ rootCAData }}",
        'worker/01-kubelet/_base/files/etc/b':
          '{% if images.broken %}\n{{ pullSecret.nope }}{% endif %}',
        'master/01-kubelet/_base/files/etc/b': '{{ images.broken | default: "-" }}',
        'arbiter/01-kubelet/_base/files/etc/b': '',
        ...more,
      }).map(([path, text]) => [`${path}.liquid`, text]),
    ),
  )

/** Runs a template controller. */
export function runTemplate(client: KubeClient, templates: TemplateSet): RunningControllers {
  return new RunningControllers(client, ({ follow, ...context }) => {
    const caches = {
      controllerConfigs: follow(api.controllerConfigs),
      machineConfigs: follow(api.machineConfigs, { indexes: machineConfigIndexes }),
      pullSecrets: follow(secrets, { scope: pullSecretScope }),
    }
    return templateController(context, caches, { maker, templates })
  })
}

export const pullSecret = (text: string): Secret => ({
  metadata: { namespace: 'openshift-config', name: 'pull-secret' },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
})

/** The source of a file in a MachineConfig, percent-encoded. */
export function sourceOf({ spec }: MachineConfig, path: string): string | undefined {
  const { storage } = (spec?.config ?? {}) as Partial<Config>
  return storage?.files?.find((file) => file.path === path)?.contents?.source
}

/** `TemplateControllerFailing: True BadTemplate`, one line each. */
export function conditionsOf({ status }: ControllerConfig): string[] {
  return (status?.conditions ?? []).map(
    ({ type, status: holds, reason }) => `${type}: ${holds} ${reason}`,
  )
}
