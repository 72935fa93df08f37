import type { Probe } from './probe.ts'
import { listOf, object, open, ruled, specs, text, whole } from './probe.ts'

/** Evaluation and messages of CEL rules. */
export const ruleProbes: Readonly<Record<string, Probe>> = {
  'a rule of each type': {
    schema: object({
      s: ruled(text, 'self == "ok"'),
      i: ruled(whole, 'self == 1'),
      n: ruled({ type: 'number' }, 'self == 1.5'),
      b: ruled({ type: 'boolean' }, 'self'),
      o: ruled(object({ a: text }), 'has(self.a)'),
      m: ruled({ type: 'object', additionalProperties: text }, '"a" in self'),
      l: ruled(listOf(text), 'size(self) == 1'),
      x: ruled({ 'x-kubernetes-int-or-string': true }, 'type(self) == int'),
      p: ruled(open, 'false'),
      t: ruled({ type: 'string', format: 'date-time' }, 'self < timestamp("2020-01-01T00:00:00Z")'),
      d: ruled({ type: 'string', format: 'duration' }, 'self < duration("1h")'),
      y: ruled({ type: 'string', format: 'byte' }, 'size(self) == 2'),
    }),
    objects: specs(
      { s: 'no', i: 2, n: 2.5, b: false, o: {}, m: {}, l: [], x: 'x', p: {} },
      {
        s: 'ok',
        i: 1,
        n: 1.5,
        b: true,
        o: { a: 'a' },
        m: { a: 'a' },
        l: ['x'],
        x: 1,
        t: '2019-01-01T00:00:00Z',
        d: '30m',
        y: 'aGk=',
      },
      { t: '2021-01-01T00:00:00Z', d: '2h', y: 'aGlqaw==' },
      { n: 2, m: { b: 'a', c: 'd' }, l: ['a', 'b'], o: { a: 'x' }, p: { a: 1 } },
      { s: 'no', i: 'wrong type' },
    ),
  },
  'messages of rules': {
    schema: {
      ...object({
        a: whole,
        b: object({ c: text }),
        plain: {
          ...whole,
          'x-kubernetes-validations': [{ rule: 'self > 0', message: 'must be positive' }],
        },
        expressed: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', messageExpression: '"got " + (self < 0 ? "less" : "zero")' },
          ],
        },
        fallback: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'plain', messageExpression: '"" + ["a"][self + 5]' },
          ],
        },
        blank: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'plain', messageExpression: '"  "' },
          ],
        },
        lines: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'plain', messageExpression: '"a\\nb"' },
          ],
        },
        forbidden: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueForbidden' },
          ],
        },
        required: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueRequired' },
          ],
        },
        duplicate: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueDuplicate' },
          ],
        },
        invalid: {
          ...whole,
          'x-kubernetes-validations': [
            { rule: 'self > 0', message: 'm', reason: 'FieldValueInvalid' },
          ],
        },
        none: { ...whole, 'x-kubernetes-validations': [{ rule: 'self > 0' }] },
      }),
      'x-kubernetes-validations': [
        { rule: '!has(self.a) || self.a > 0', message: 'a is bad', fieldPath: '.a' },
        { rule: '!has(self.b) || self.b.c == "c"', message: 'c is bad', fieldPath: '.b.c' },
        {
          rule: '!has(self.a) || self.a != 0',
          message: 'missing',
          fieldPath: '.b.c',
          reason: 'FieldValueRequired',
        },
        { rule: 'self.a / 0 == 1', message: 'never' },
      ],
    },
    objects: specs(
      { a: 0, b: { c: 'd' } },
      {
        plain: 0,
        expressed: -3,
        fallback: 0,
        blank: 0,
        lines: 0,
        forbidden: 0,
        required: 0,
        duplicate: 0,
        invalid: 0,
        none: 0,

        text: 'x',
      },
    ),
  },
  'runtime errors of rules': {
    schema: object({
      index: ruled(listOf(text), 'self[3] == "a"'),
      key: ruled({ type: 'object', additionalProperties: text }, 'self["a"] == "a"'),
      absent: ruled(object({ a: text }), 'self.a == "a"'),
      divide: ruled(whole, '1 / self == 1'),
      convert: ruled(text, 'int(self) == 1'),
      overflow: ruled({ type: 'integer', format: 'int64' }, 'self + 9223372036854775807 > 0'),
      or: ruled(object({ a: text }), 'self.a == "a" || true'),
      stamp: ruled(text, 'timestamp(self) > timestamp("2020-01-01T00:00:00Z")'),
    }),
    objects: specs({
      index: [],
      key: {},
      absent: {},
      divide: 0,
      convert: 'x',
      overflow: 1,
      or: {},
      stamp: 'x',
    }),
  },
  library: {
    schema: object(
      Object.fromEntries(
        [
          'self.lowerAscii() == "abc"',
          'self.upperAscii() == "ABC"',
          'self.trim() == "abc"',
          'self.replace("a", "b") == "bbc"',
          'self.split("") == ["a", "b", "c"]',
          'self.split("b", 1) == [self]',
          'self.charAt(0) == "a" && self.indexOf("c") == 2 && self.lastIndexOf("c") == 2',
          'self.substring(1) == "bc" && self.substring(0, 1) == "a"',
          'self.find("[b-z]+") == "bc"',
          'self.findAll("[a-z]") == ["a", "b", "c"] && self.findAll("[a-z]", 2) == ["a", "b"]',
          '[1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [3, 1].max() == 3 && [1, 2].isSorted()',
          '[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2',
          'sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1, 2])',
          'isURL("https://a.b:80/c?d=e") && url("https://a.b:80/c?d=e").getHost() == "a.b:80" && !isURL("::")',
          'url("https://a.b:80/c?d=e").getHostname() == "a.b" && url("https://a.b:80/c?d=e").getPort() == "80"',
          'url("https://a.b:80/c%20d?d=e").getEscapedPath() == "/c%20d" && url("https://a/?d=e&d=f").getQuery() == {"d": ["e", "f"]}',
          'isQuantity("1Gi") && !isQuantity("1 GB") && quantity("1Gi").compareTo(quantity("1024Mi")) == 0',
          'quantity("1500m").isGreaterThan(quantity("1")) && quantity("1k").asInteger() == 1000 && quantity("1").add(quantity("2")).asInteger() == 3',
          'quantity("1.5").asApproximateFloat() == 1.5 && sign(quantity("-3")) == -1 && !quantity("1.5").isInteger() && quantity("3").sub(1).isLessThan(quantity("2.5"))',
          'isIP("1.2.3.4") && isIP("::1") && !isIP("1.2.3") && ip("1.2.3.4").family() == 4 && ip("::1").isLoopback()',
          'ip.isCanonical("::1") && !ip.isCanonical("0::1") && ip("10.0.0.1").isGlobalUnicast() && ip("169.254.1.1").isLinkLocalUnicast()',
          'isCIDR("10.0.0.0/8") && cidr("10.0.0.0/8").containsIP("10.1.2.3") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")',
          'cidr("10.0.0.0/8").prefixLength() == 8 && cidr("10.1.0.0/8").masked() == cidr("10.0.0.0/8") && cidr("10.0.0.0/8").ip() == ip("10.0.0.0")',
          'format.dns1123Label().validate(self).hasValue() == false && format.dns1123Label().validate("A").hasValue()',
          'format.named("dns1123Label").hasValue() && !format.named("nope").hasValue()',
          'duration("90s").getMinutes() == 1 && timestamp("2020-01-02T03:04:05Z").getFullYear() == 2020',
          '"%s is %d".format([self, 5]) == "abc is 5"',
          'self.matches("^a.c$") && self.startsWith("a") && self.endsWith("c") && self.contains("b")',
          'type(1) == int && type("a") == string && dyn(1) == 1 && string(1) == "1" && int("1") == 1 && double(1) == 1.0',
          '[1, 2].exists_one(x, x == 1) && [1, 2].map(x, x * 2) == [2, 4] && [1, 2].filter(x, x > 1) == [2] && [1, 2].map(x, x > 1, x) == [2]',
          '{"a": 1}.all(k, k == "a") && "a" in {"a": 1} && 1 in [1, 2] && size({"a": 1}) == 1',
          'optional.of(1).hasValue() && optional.none().orValue(3) == 3 && {"a": 1}[?"b"].orValue(2) == 2',
          'b"abc" == bytes("abc") && 7u == uint(7) && 0x10 == 16 && -1 < 0 && 7 % 4 == 3 && true ? 1 < 2 : false',
          '"a" < "b" && self != "x" && !(self == "x") && r"\\d" == "\\\\d"',
          'format.dns1123Subdomain().validate("A.b").value().size() > 0 && format.uuid().validate("x").hasValue()',
          'strings.quote(self) == "\\"abc\\""',
        ].map((rule, index) => [
          `r${index}`,
          { ...text, 'x-kubernetes-validations': [{ rule: `self == "skip" || (${rule})` }] },
        ]),
      ),
    ),
    objects: specs(Object.fromEntries([...Array(40).keys()].map((index) => [`r${index}`, 'abc']))),
  },
  expressions: {
    schema: {
      ...object({
        list: { ...listOf(object({ a: text, n: whole })), maxItems: 5 },
        map: { type: 'object', maxProperties: 5, additionalProperties: whole },
        'my-field': text,
        'my.field': text,
        namespace: text,
        under__score: text,
        none: { type: 'string', nullable: true, maxLength: 5 },
        port: { 'x-kubernetes-int-or-string': true },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        ratio: { type: 'number' },
        on: { type: 'boolean' },
      }),
      'x-kubernetes-validations': [
        { rule: '!has(self.list) || has(self.list[0].a)', message: 'first needs a' },
        { rule: '!has(self.map) || self.map.all(k, self.map[k] > 1)', message: 'map is small' },
        { rule: '!has(self.map) || self.map.exists(k, k.startsWith("a"))', message: 'map needs a' },
        { rule: '!has(self.my__dash__field) || self.my__dash__field == "x"', message: 'dash' },
        { rule: '!has(self.my__dot__field) || self.my__dot__field == "x"', message: 'dot' },
        { rule: '!has(self.__namespace__) || self.__namespace__ == "x"', message: 'keyword' },
        {
          rule: '!has(self.under__underscores__score) || self.under__underscores__score == "x"',
          message: 'underscores',
        },
        { rule: '!has(self.none)', message: 'has none' },
        {
          rule: '!has(self.port) || (type(self.port) == int ? self.port > 0 : self.port.endsWith("%"))',
          message: 'port',
        },
        {
          rule: '!has(self.embedded) || self.embedded.metadata.name == "x"',
          message: 'embedded name',
        },
        { rule: '!has(self.embedded) || self.embedded.kind == "Pod"', message: 'embedded kind' },
        { rule: '!has(self.ratio) || self.ratio > 0.5 && self.ratio != 2.0', message: 'ratio' },
        { rule: '!has(self.on) || self.on', message: 'on' },
        {
          rule: '!has(self.list) || self.list.filter(x, has(x.n)).map(x, x.n).sum() < 10',
          message: 'sum',
        },
        {
          rule: '!has(self.list) || self.list.exists_one(x, x.a == "one")',
          message: 'exactly one',
        },
        { rule: 'self.?on.orValue(true) || self.?none.hasValue()', message: 'optional' },
      ],
    },
    objects: specs(
      {
        list: [{ n: 5 }, { a: 'one', n: 6 }],
        map: { b: 1 },
        'my-field': 'y',
        'my.field': 'y',
        namespace: 'y',
        under__score: 'y',
        none: 'y',
        port: 'y',
        ratio: 2,
        on: false,
      },
      {
        list: [{ a: 'one' }],
        map: { a: 2 },
        'my-field': 'x',
        'my.field': 'x',
        namespace: 'x',
        under__score: 'x',
        none: null,
        port: '5%',
        ratio: 0.75,
        on: true,
      },
      { port: 0, embedded: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'y' } } },
      { port: 1, embedded: { apiVersion: 'v1', kind: 'Pod', metadata: {} }, list: [] },
      { list: [{ a: 'one' }, { a: 'one' }, {}] },
    ),
  },
}
