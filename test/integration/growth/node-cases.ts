import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import { imageName } from '../../../src/daemon/host/image-name.ts'
import { accountIn, groupIn, secretIn } from '../../../src/daemon/host/linux/account-lines.ts'
import { idsInList } from '../../../src/daemon/host/linux/crictl.ts'
import { readManifest } from '../../../src/daemon/host/linux/image-manifest.ts'
import { readBootcStatus } from '../../../src/daemon/host/linux/os/bootc-status.ts'
import { optionsIn } from '../../../src/daemon/host/linux/os/boot-entries.ts'
import { readDictionary, readTexts } from '../../../src/daemon/host/linux/os/gvariant.ts'
import { readOsIdentity } from '../../../src/daemon/host/linux/os/os-identity.ts'
import { readOstreeStatus } from '../../../src/daemon/host/linux/os/ostree-status.ts'
import { readRpmOstreeStatus } from '../../../src/daemon/host/linux/os/rpm-ostree-status.ts'
import { isUnitHealthy } from '../../../src/daemon/host/linux/unit-health.ts'
import { parseOsRelease } from '../../../src/daemon/host/os-release.ts'
import { rulesIn } from '../../../src/daemon/host/simulated/preset-rules.ts'
import { installOf } from '../../../src/daemon/host/simulated/unit-install.ts'
import { parseMachineConfigFile } from '../../../src/daemon/state/disk-state.ts'
import { caIn } from '../../../src/daemon/trust/api-server-ca/kubeconfig-ca.ts'
import { clusterEntries } from '../../../src/daemon/trust/api-server-ca/kubeconfig-ca-entries.ts'

/** Parsers of the daemon for files and output of programs. */
export const nodeCases: readonly ParserCase[] = [
  ...casesOf('daemon/host/os-release.ts parseOsRelease', {
    read: parseOsRelease,
    shapes: {
      lines: (n) => many(n, (i) => `K${i}="v"\n`),
      quotes: runs('"', 'A='),
      backslashes: runs('\\', 'A="', '"'),
      blanks: runs(' ', '', 'x'),
    },
  }),
  ...casesOf('daemon/host/linux/os/os-identity.ts readOsIdentity', {
    read: readOsIdentity,
    shapes: { lines: runs('ID=a\n') },
  }),
  ...casesOf('daemon/host/image-name.ts imageName', {
    read: imageName,
    shapes: {
      colons: runs(':', 'ostree-unverified-registry'),
      letters: runs('a', 'ostree-remote-registry:'),
    },
  }),
  ...casesOf('daemon/host/linux/account-lines.ts accountIn', {
    read: (text) => [accountIn(text, 'core'), groupIn(text, 'core'), secretIn(text, 'core')],
    shapes: {
      lines: (n) => many(n, (i) => `u${i}:x:1:1::/home:/bin/sh\n`),
      colons: runs(':', 'core'),
      slashes: runs('/', 'core:x:1:1::', 'x:/bin/sh'),
    },
  }),
  ...casesOf('daemon/host/linux/crictl.ts idsInList', {
    read: idsInList,
    shapes: {
      images: (n) =>
        `{"images":[${many(n, (i) => `{"id":"i${i}","repoTags":["a:${i}"],"repoDigests":[]}`, ',')}]}`,
    },
  }),
  ...casesOf('daemon/host/linux/image-manifest.ts readManifest', {
    read: (text) => readManifest(text, 'amd64'),
    shapes: {
      layers: (n) => `{"layers":[${many(n, () => '{"digest":"sha256:a","size":1}', ',')}]}`,
      platforms: (n) =>
        `{"manifests":[${many(n, () => '{"digest":"a","platform":{"architecture":"x"}}', ',')}]}`,
    },
  }),
  ...casesOf('daemon/host/linux/os/bootc-status.ts readBootcStatus', {
    read: readBootcStatus,
    shapes: { keys: (n) => `{"status":{${many(n, (i) => `"k${i}":1`, ',')}}}` },
  }),
  ...casesOf('daemon/host/linux/os/rpm-ostree-status.ts readRpmOstreeStatus', {
    read: readRpmOstreeStatus,
    shapes: {
      deployments: (n) =>
        `{"deployments":[${many(n, () => '{"booted":false,"checksum":"a"}', ',')}]}`,
    },
  }),
  ...casesOf('daemon/host/linux/os/ostree-status.ts readOstreeStatus', {
    read: readOstreeStatus,
    shapes: {
      deployments: runs(`  fedora ${'a'.repeat(64)}.0\n    origin refspec: x\n`),
      blanks: runs(' ', '', 'x'),
      digits: runs('1', `  fedora ${'a'.repeat(64)}.`),
    },
  }),
  ...casesOf('daemon/host/linux/os/boot-entries.ts optionsIn', {
    read: optionsIn,
    shapes: { lines: runs('options a=b\n'), blanks: runs(' ', 'options') },
  }),
  ...casesOf<Uint8Array>('daemon/host/linux/os/gvariant.ts readDictionary', {
    read: readDictionary,
    shapes: { zeros: (n) => Buffer.alloc(n) },
  }),
  ...casesOf<Uint8Array>('daemon/host/linux/os/gvariant.ts readTexts', {
    read: readTexts,
    shapes: { zeros: (n) => Buffer.alloc(n) },
  }),
  ...casesOf('daemon/host/linux/unit-health.ts isUnitHealthy', {
    read: isUnitHealthy,
    shapes: { lines: (n) => many(n, (i) => `K${i}=v\n`), 'equal signs': runs('=') },
  }),
  ...casesOf('daemon/host/simulated/preset-rules.ts rulesIn', {
    read: rulesIn,
    shapes: { lines: runs('enable a.service\n'), blanks: runs(' ', 'enable', 'x') },
  }),
  ...casesOf('daemon/host/simulated/unit-install.ts installOf', {
    read: (text) => installOf([text]),
    shapes: {
      lines: runs('WantedBy=a\n', '[Install]\n'),
      names: runs('a ', '[Install]\nWantedBy='),
    },
  }),
  ...casesOf('daemon/state/disk-state.ts parseMachineConfigFile', {
    read: parseMachineConfigFile,
    shapes: {
      keys: (n) => `{"metadata":{"name":"a"},"spec":{${many(n, (i) => `"k${i}":1`, ',')}}}`,
    },
  }),
  ...casesOf('daemon/trust/api-server-ca/kubeconfig-ca-entries.ts clusterEntries', {
    read: (text) => clusterEntries(text, 'kubeconfig'),
    shapes: {
      clusters: (n) => `clusters:\n${many(n, (i) => `- name: c${i}\n  cluster:\n    server: x\n`)}`,
      'clusters in JSON': (n) =>
        `{"clusters":[${many(n, () => '{"cluster":{"certificate-authority-data":"QQ=="}}', ',')}]}`,
      comments: runs(' #', 'clusters: x'),
      dashes: runs('- ', 'clusters:\n'),
      'blank lines': runs('\n'),
      'keys in JSON': runs('"certificate-authority-data" ', '{"a": [', ']}'),
    },
  }),
  ...casesOf('daemon/trust/api-server-ca/kubeconfig-ca.ts caIn', {
    read: (text) => caIn(text, 'kubeconfig'),
    shapes: {
      'a long CA': runs(
        'QUJD',
        'clusters:\n- cluster:\n    certificate-authority-data: ',
        '\n  name: a\n',
      ),
    },
  }),
]
