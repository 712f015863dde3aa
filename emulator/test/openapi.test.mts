import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { send, start } from './helpers.mts';

async function documentOf(url: string): Promise<Record<string, unknown>> {
	return (await send(url, 'GET', '/swagger/v1/swagger.json', { headers: {} })).json();
}

test('the OpenAPI document is valid by the official schema of its version', async (t) => {
	const { url } = await start(t);
	const validator = new Validator();
	const { valid, errors } = await validator.validate(await documentOf(url));
	assert.ok(valid, JSON.stringify(errors, null, 2));
	assert.equal(validator.version, '3.1');
});

test('the validator finds what is wrong', async (t) => {
	const { url } = await start(t);
	const document = await documentOf(url);
	const broken = { ...document, info: { title: 'without a version' } };
	assert.equal((await new Validator().validate(broken)).valid, false);
});

test('every example in the document is valid by its own schema', async (t) => {
	const { url } = await start(t);
	const { components } = (await documentOf(url)) as {
		components: { schemas: Record<string, { examples?: unknown[] }> };
	};
	const [example] = components.schemas['MakeCallRequest']?.examples ?? [];
	const reply = await send(url, 'POST', '/api/customer/makecall', { body: example });
	assert.equal(reply.status, 200);
});
