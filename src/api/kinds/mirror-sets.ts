import type { ImageDigestMirrorSet, ImageTagMirrorSet, MirrorRule } from '../openshift-config.ts'
import { imageDigestMirrorSets, imageTagMirrorSets } from '../openshift-config.ts'
import { kind } from '../schema/kind.ts'
import { locationPattern, sourcePattern } from '../schema/registry-names.ts'
import type { Schema } from '../schema/schema.ts'
import { array, object, oneOf, rule, string } from '../schema/schema.ts'

const mirrorRule: Schema<MirrorRule> = object(
  'Where images of one source are looked for before the source itself.',
  {
    source: string('What images are called: host[:port][/path], or *.domain.', {
      maxLength: 256,
      pattern: sourcePattern,
    }),
    mirrors: array(
      'Where they are as well, the preferred place first.',
      string('What stands for the source in the name: host[:port][/path].', {
        maxLength: 256,
        pattern: locationPattern,
      }),
      { set: true, maxItems: 64 },
    ),
    mirrorSourcePolicy: oneOf(
      'Whether the source is asked where no mirror has an image. It is, unless said otherwise.',
      ['NeverContactSource', 'AllowContactingSource'],
    ),
  },
  {
    required: ['source'],
    rules: [
      rule(
        "!has(self.mirrorSourcePolicy) || self.mirrorSourcePolicy != 'NeverContactSource' || (has(self.mirrors) && self.mirrors.size() > 0 && !(self.source in self.mirrors))",
        'NeverContactSource needs mirrors, and the source must not be one of them',
      ),
    ],
  },
)

const mirrorRules = (description: string): Schema<MirrorRule[]> =>
  array(description, mirrorRule, { maxItems: 1024 })

const digestSpec: Schema<ImageDigestMirrorSet['spec']> = object(
  'Mirrors for images that are named by digest.',
  {
    imageDigestMirrors: mirrorRules('The rules, each about one source.'),
  },
)

const tagSpec: Schema<ImageTagMirrorSet['spec']> = object(
  'Mirrors for images that are named by tag.',
  {
    imageTagMirrors: mirrorRules('The rules, each about one source.'),
  },
)

/** What became of it, pools tell. */
const status = object('Nothing is told here.', {})

export const imageDigestMirrorSetKind = kind(
  imageDigestMirrorSets,
  'Where nodes look for images that are named by digest, before they ask the registry in the name.',
  { shortNames: ['idms'], spec: digestSpec, status },
)

export const imageTagMirrorSetKind = kind(
  imageTagMirrorSets,
  'Where nodes look for images that are named by tag, before they ask the registry in the name.',
  { shortNames: ['itms'], spec: tagSpec, status },
)
