// types.mjs DOCUMENT OUT: the schemas of an OpenAPI document as TypeScript, each under its own name, and what each path answers.
// Writes OUT only when it changes: several builds may share it.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const [from, out] = process.argv.slice(2);
const { paths, components } = JSON.parse(readFileSync(from, 'utf8'));

const nameOf = (reference) => reference.split('/').pop();
const keyOf = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
const wrapped = (type) => (/[|]/.test(type) && !/^\{.*\}$/s.test(type) ? `(${type})` : type);
const remark = (schema, indent) => (schema.description ? `${indent}/** ${schema.description} */\n` : '');

function fieldsOf(schema, indent) {
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const isThere = (schema.required ?? []).includes(name);
    return `${remark(field, inner)}${inner}${keyOf(name)}${isThere ? '' : '?'}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function plainTypeOf(schema, indent) {
  if (schema.$ref) return nameOf(schema.$ref);
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.map((one) => typeOf(one, indent)).join(' | ');
  if (schema.allOf) return schema.allOf.map((one) => typeOf(one, indent)).join(' & ');
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
      return schema.type;
    case 'array':
      return `${wrapped(typeOf(schema.items, indent))}[]`;
    case 'object':
      if (schema.properties) return fieldsOf(schema, indent);
      return typeof schema.additionalProperties === 'object'
        ? `Record<string, ${typeOf(schema.additionalProperties, indent)}>`
        : 'Record<string, unknown>';
    default:
      return 'unknown';
  }
}

function typeOf(schema, indent) {
  const type = plainTypeOf(schema, indent);
  return schema.nullable ? `${type} | null` : type;
}

function declared([name, schema]) {
  const type = typeOf(schema, '');
  const what =
    schema.type === 'object' && schema.properties ? `interface ${name} ${type}` : `type ${name} = ${type};`;
  return `${remark(schema, '')}export ${what}\n`;
}

function answered([path, { get }]) {
  const schema = get.responses['200']?.content?.['application/json']?.schema;
  return schema ? [`  ${JSON.stringify(path.slice(1))}: ${typeOf(schema, '  ')};\n`] : [];
}

const text = [
  '// Made of src/answers/serve/routes/api/*.json by types.mjs, at every build: change those.\n',
  ...Object.entries(components.schemas).map(declared),
  `/** What each path answers, as JSON. */\nexport interface Answers {\n${Object.entries(paths).flatMap(answered).join('')}}\n`,
].join('\n');
if (!existsSync(out) || readFileSync(out, 'utf8') !== text) {
  writeFileSync(`${out}.${process.pid}`, text);
  renameSync(`${out}.${process.pid}`, out);
}
