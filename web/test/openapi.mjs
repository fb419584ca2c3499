// openapi.mjs SURROUNDINGS: the server's description of itself is one, names what is served, and what the server really
// answers is as it says.  Every path is asked with every parameter, of every target; tests/system/serve/serve_openapi.sh starts it.
import { faultsOf, validatorOf } from './openapi_document.mjs';

const { url, growing } = JSON.parse(process.argv[2]);
const nonsense = '(';
// What a path needs besides, to make sense at all.
const besides = { '/api/diff': { with: '50%,100%' }, '/api/diff/flame': { with: '50%,100%' } };
// Answers of other shapes than one parameter alone leads to.
const further = [
  ['/api/report', { metric: 'heap.allocated,heap.calls', by: 'function' }],
  ['/api/report', { metric: 'heap.allocated,heap.calls', by: 'thread' }],
  ['/api/report', { metric: 'heap.allocated,heap.calls', 'top-down': 'true' }],
  ['/api/report', { metric: 'heap.live', by: 'stack', between: '10%,90%' }],
];

let failures = 0;
function check(name, faults) {
  if (faults.length) failures++;
  console.log(
    faults.length
      ? `not ok ${name}: ${faults.length}: ${faults.slice(0, 3).join('; ').slice(0, 600)}`
      : `ok ${name}`,
  );
}

async function get(base, path, parameters) {
  const leave = new AbortController();
  const query = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== undefined),
  ).toString();
  const response = await fetch(`${base}${path.slice(1)}${query && `?${query}`}`, { signal: leave.signal });
  const type = (response.headers.get('content-type') ?? '').split(';')[0];
  const text = type === 'text/event-stream' ? '' : await response.text();
  leave.abort();
  return { status: response.status, type, text, asked: `${path}?${decodeURIComponent(query)}` };
}

const document = JSON.parse((await get(url, '/api/openapi.json', {})).text);
const validate = validatorOf(document);
const follow = (node) =>
  node.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((at, name) => at[name], document)
    : node;
const targetsOf = async (base) => JSON.parse((await get(base, '/api/targets', {})).text).targets;

// One that the first target names.
const file = JSON.parse((await get(url, '/api/source', {})).text).files[0]?.file;

/** What is wrong with an answer: a sentence in a list, or none. */
function faultOf(answer) {
  const { get: described } = document.paths[answer.asked.split('?')[0]];
  const response = described.responses[answer.status];
  if (!response)
    return [`${answer.asked}: status ${answer.status} is not described: ${answer.text.slice(0, 100)}`];
  const content = follow(response).content?.[answer.type];
  if (!content) return [`${answer.asked}: ${answer.status} with type ${answer.type}`];
  if (answer.type !== 'application/json') return [];
  const fault = validate(content.schema, JSON.parse(answer.text));
  return fault ? [`${answer.asked} (${answer.status}): ${fault}`] : [];
}

const isFreeText = ({ schema }) =>
  schema.type === 'string' && !schema.enum && !schema.format && !schema.pattern;
const valuesOf = ({ name, schema, example }, targets, who) => {
  const target = targets.find(({ id }) => id === who.target) ?? targets[0];
  if (name === 'target') return [target.id];
  if (name === 'pid') return [target.pid];
  if (name === 'file') return [file];
  if (name === 'other') return [targets[targets.length - 1].id];
  return schema.enum ?? [example ?? schema.default ?? schema.minimum ?? 'main'];
};

/** One path with one parameter at a time. */
async function testPath(path, targets) {
  const { parameters: listed = [], responses } = document.paths[path].get;
  const parameters = listed.map(follow);
  const needed = Object.fromEntries(
    parameters.filter((one) => one.required).map((one) => [one.name, one.example]),
  );
  const whose = parameters.some((one) => one.name === 'target')
    ? targets.map(({ id }) => ({ target: id }))
    : [{}];
  const faults = [];
  let isAnswered = false;
  const accepted = new Set();
  for (const who of whose) {
    const base = { ...who, ...needed, ...besides[path] };
    const and = (name, value) =>
      name === 'pid' ? { ...base, target: undefined, pid: value } : { ...base, [name]: value };
    const alone = await get(url, path, base);
    faults.push(...faultOf(alone));
    if (alone.status !== 200) continue;
    isAnswered = true;
    for (const parameter of parameters) {
      for (const value of valuesOf(parameter, targets, who)) {
        const answer = await get(url, path, and(parameter.name, value));
        faults.push(...faultOf(answer));
        if (answer.status === 200) accepted.add(parameter.name);
      }
      if (isFreeText(parameter)) continue;
      const refused = await get(url, path, and(parameter.name, nonsense));
      faults.push(...faultOf(refused));
      if (refused.status === 200) faults.push(`${refused.asked} is not refused`);
    }
  }
  if (!isAnswered && responses['200']) faults.push(`${path}: none of the targets has an answer`);
  for (const { name } of parameters)
    if (isAnswered && !accepted.has(name)) faults.push(`${path}: ${name} is never accepted`);
  check(`openapi-answers${path.replace(/[^a-z0-9]+/g, '-')}`, faults);
}

/** Every metric of every target, and of one that grows. */
async function testMetrics(base) {
  const faults = [];
  for (const { id, metrics = [] } of await targetsOf(base))
    for (const metric of metrics)
      for (const path of ['/api/report', '/api/timeline', '/api/flame'])
        faults.push(...faultOf(await get(base, path, { target: id, metric })));
  return faults;
}

check('openapi-is-valid', faultsOf(document));
const listed = (await get(url, '/routes', {})).text.match(/^\/\S*/gm);
const isOurs = (path) => /^\/(api|v1)\//.test(path);
const described = Object.keys(document.paths);
check(
  'openapi-names-every-route',
  listed.filter((path) => isOurs(path) && !described.includes(path)),
);
check(
  'openapi-names-no-other',
  described.filter((path) => !listed.includes(path)),
);
const targets = await targetsOf(url);
for (const path of described.filter(isOurs)) await testPath(path, targets);
check('openapi-answers-metrics', await testMetrics(url));
const answers = [];
for (const [path, parameters] of further) answers.push(...faultOf(await get(url, path, parameters)));
check('openapi-answers-further', answers);
const grows = await testMetrics(growing);
for (const path of ['/api/targets', '/api/info', '/api/report', '/api/timeline', '/healthz'])
  grows.push(...faultOf(await get(growing, path, {})));
check('openapi-answers-growing', grows);
process.exit(failures ? 1 : 0);
