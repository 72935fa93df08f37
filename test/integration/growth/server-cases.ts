import type { ParserCase } from '@machinist/testing/growth/growth'
import { casesOf, many, runs } from '@machinist/testing/growth/growth'
import { parseAccept } from '../../../src/server/answer/accept.ts'
import { acceptsGzip, isNotModified } from '../../../src/server/http/conditional.ts'
import { parseManifests } from '../../../src/bootstrap/manifests/parse-manifests.ts'
import { readUserDataRecord } from '../../../src/fleet/rotation/user-data-record.ts'
import { parsePool } from '../../../src/server/directory/parse-objects.ts'
import { routeOf } from '../../../src/server/http/route.ts'

const item = 'application/vnd.coreos.ignition+json'

const poolHead =
  'apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata:\n  name: worker\n'
const poolRest = 'spec: {}\nstatus: {configuration: {name: rendered-worker-a}}\n'

/** Parsers of the machine config server: of requests of unknown clients, and of files. */
export const serverCases: readonly ParserCase[] = [
  ...casesOf('server/answer/accept.ts parseAccept', {
    read: parseAccept,
    shapes: {
      commas: runs(','),
      semicolons: runs(';', `${item};`, 'version=3.2.0'),
      slashes: runs('/'),
      blanks: runs(' ', `${item};`, 'version=3.2.0'),
      'equal signs': runs('=', `${item};version`),
      digits: runs('1', `${item};version=3.`, '.0'),
      dots: runs('.', `${item};version=3`),
      'a long pre-release': runs('-a', `${item};version=3.2.0`),
      'a long quality': runs('0', `${item};version=3.2.0;q=0.`, 'x'),
      'items of all versions': (n) =>
        many(n, (i) => `${item};version=3.${i}.0;q=0.${i % 1000}`, ','),
      'parameters with the same name': runs(';version=x', item),
    },
  }),
  ...casesOf('server/http/route.ts routeOf', {
    read: routeOf,
    shapes: {
      slashes: runs('/'),
      'slashes behind the prefix': runs('/', '/config/', 'worker'),
      'steps up': runs('../', '/config/'),
      'encoded slashes': runs('%2f', '/config/'),
      dots: runs('.', '/config/a', 'a'),
      letters: runs('a', '/config/'),
      'question marks': runs('?', '/config/worker'),
    },
  }),
  ...casesOf('server/http/conditional.ts isNotModified', {
    read: (header) => isNotModified(header, '"a"'),
    shapes: {
      commas: runs(','),
      blanks: runs(' ', '"b",', '"c"'),
      'many tags': (n) => many(n, (i) => `W/"${i}"`, ', '),
    },
  }),
  ...casesOf('server/http/conditional.ts acceptsGzip', {
    read: acceptsGzip,
    shapes: {
      commas: runs(','),
      semicolons: runs(';', 'gzip'),
      blanks: runs(' ', 'gzip;', 'q=0'),
      zeros: runs('0', 'gzip;q=0.', 'x'),
    },
  }),
  ...casesOf('server/directory/parse-objects.ts parsePool', {
    read: (text) => parsePool(text, 'worker'),
    shapes: {
      labels: (n) => `${poolHead}  labels:\n${many(n, (i) => `    a${i}: b\n`)}${poolRest}`,
      'a long text': runs('a', 'kind: '),
    },
  }),
  ...casesOf('bootstrap/manifests/parse-manifests.ts parseManifests', {
    read: (text) => parseManifests(new Map([['a.yaml', text]])),
    shapes: {
      documents: (n) => many(n, (i) => `kind: ConfigMap\nmetadata: {name: a${i}}\n`, '---\n'),
      'ignored kinds': (n) => many(n, (i) => `apiVersion: v1\nkind: Kind${i}\n`, '---\n'),
    },
  }),
  ...casesOf('fleet/rotation/user-data-record.ts readUserDataRecord', {
    read: (text) => readUserDataRecord({ worker: text }),
    shapes: {
      authorities: (n) => `{${many(n, (i) => `"${i}":"2026-11-16T14:02:00Z"`, ',')}}`,
      braces: runs('{'),
    },
  }),
]
