// An OpenAPI document: whether it is one, and whether an answer is as it says.
import Ajv from 'ajv';

const methods = ['get'];
const keywords = new Set(
  'type properties required additionalProperties items enum oneOf anyOf allOf nullable description $ref minimum maximum pattern format default example minItems maxItems'.split(
    ' ',
  ),
);

/** What is wrong with the document as such: sentences. */
export function faultsOf(document) {
  const faults = [];
  const say = (isSo, sentence) => isSo || faults.push(sentence);
  const find = (reference) =>
    reference
      .slice(2)
      .split('/')
      .reduce((at, name) => at?.[name], document);
  const follow = (node) => (node.$ref ? find(node.$ref) : node);

  function lookAtSchema(schema, where) {
    for (const key of Object.keys(schema)) say(keywords.has(key), `${where}: ${key} is no word of a schema`);
    if (schema.$ref) say(find(schema.$ref), `${where}: ${schema.$ref} is nowhere`);
    const kinds = ['type', '$ref', 'oneOf', 'anyOf', 'allOf'].filter((key) => key in schema);
    say(kinds.length === 1, `${where}: says ${kinds.join(' and ') || 'nothing'} about what it is`);
    if (schema.properties) {
      say(schema.additionalProperties === false, `${where}: allows fields that it does not name`);
      for (const name of schema.required ?? [])
        say(name in schema.properties, `${where}: requires ${name}, which it does not have`);
      for (const [name, field] of Object.entries(schema.properties)) lookAtSchema(field, `${where}.${name}`);
    }
    if (schema.type === 'array') say(schema.items, `${where}: a list of what?`);
    if (schema.items) lookAtSchema(schema.items, `${where}[]`);
    for (const one of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])])
      lookAtSchema(one, where);
    if (typeof schema.additionalProperties === 'object')
      lookAtSchema(schema.additionalProperties, `${where}.*`);
  }

  function lookAtParameter(parameter, where) {
    say(
      parameter.name && parameter.in === 'query',
      `${where}: a parameter without a name, or not of the query`,
    );
    say(parameter.description, `${where}: ${parameter.name} has no description`);
    lookAtSchema(parameter.schema ?? {}, `${where}?${parameter.name}`);
  }

  function lookAtPath(path, item) {
    say(path.startsWith('/'), `${path}: is no path`);
    say(
      Object.keys(item).every((method) => methods.includes(method)),
      `${path}: something else than get`,
    );
    const { summary, parameters = [], responses = {} } = item.get ?? {};
    say(summary, `${path}: no summary`);
    say(responses['200'], `${path}: no answer`);
    for (const parameter of parameters) lookAtParameter(follow(parameter) ?? {}, path);
    for (const [status, response] of Object.entries(responses)) {
      const { description, content = {} } = follow(response) ?? {};
      say(/^[1-5]\d\d$/.test(status) && description, `${path}: ${status} is not described`);
      for (const [type, { schema }] of Object.entries(content))
        lookAtSchema(schema, `${path} ${status} ${type}`);
    }
  }

  say(/^3\.0\.\d$/.test(document.openapi), 'it is not OpenAPI 3.0');
  say(document.info?.title && document.info?.version, 'it has no title, or no version');
  for (const [path, item] of Object.entries(document.paths)) lookAtPath(path, item);
  for (const [name, schema] of Object.entries(document.components.schemas)) lookAtSchema(schema, name);
  for (const parameter of Object.values(document.components.parameters)) lookAtParameter(parameter, 'shared');
  return faults;
}

/** As JSON Schema, which has no `nullable`. */
function plain(schema) {
  const { nullable, example, description, format, ...made } = schema;
  const each = (fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plain(field)]));
  if (made.properties) made.properties = each(made.properties);
  if (typeof made.additionalProperties === 'object')
    made.additionalProperties = plain(made.additionalProperties);
  if (made.items) made.items = plain(made.items);
  for (const key of ['oneOf', 'anyOf', 'allOf']) if (made[key]) made[key] = made[key].map(plain);
  if (made.$ref) made.$ref = `memoir${made.$ref}`;
  return nullable ? { anyOf: [made, { type: 'null' }] } : made;
}

/** (schema, value) => '' or what is wrong. */
export function validatorOf(document) {
  const ajv = new Ajv({ strict: false });
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [name, plain(schema)]);
  ajv.addSchema({ $id: 'memoir', components: { schemas: Object.fromEntries(schemas) } });
  const known = new Map();
  return (schema, value) => {
    if (!known.has(schema)) known.set(schema, ajv.compile(plain(schema)));
    const isValid = known.get(schema);
    if (isValid(value)) return '';
    const { instancePath, message, params } = isValid.errors[0];
    return `${instancePath || 'the answer'} ${message} ${JSON.stringify(params)}`;
  };
}
