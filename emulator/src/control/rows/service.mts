import { Type } from 'typebox';
import { ApiKeys } from '../../auth/auth.mts';
import type { ApiKey } from '../../auth/permissions.mts';
import { ServiceError } from '../../errors.mts';
import { ShapesSchema } from '../../profile/board.mts';
import type { Shapes } from '../../profile/unknowns.mts';
import { ref } from '../../schema.mts';
import { control } from '../row.mts';

/** How the service presents itself: shapes, API keys, certificate. */
export const serviceControls = {
	shapes: control({
		method: 'GET',
		path: '/shapes',
		summary: 'Shapes of what the specification leaves open',
		reply: ref(ShapesSchema),
		run: ({ shapes }): Readonly<Shapes> => ({ ...shapes.current() }),
	}),
	/** Chooses the shapes of what the specification leaves open. An omitted one stays as it is. */
	setShapes: control({
		method: 'PUT',
		path: '/shapes',
		summary: 'Choose shapes',
		body: ShapesSchema,
		reply: ref(ShapesSchema),
		args: (shapes: Partial<Shapes>) => ({ body: shapes }),
		run({ shapes }, { body }): Readonly<Shapes> {
			shapes.set(body);
			return { ...shapes.current() };
		},
	}),
	resetShapes: control({
		method: 'DELETE',
		path: '/shapes',
		summary: 'Go back to the assumed shapes',
		reply: ref(ShapesSchema),
		run({ shapes }): Readonly<Shapes> {
			shapes.reset();
			return { ...shapes.current() };
		},
	}),
	/** What the profile says nothing about, if the emulator was started with one. */
	profile: control({
		method: 'GET',
		path: '/profile',
		summary: 'What the service profile leaves open, so that it stays as assumed',
		reply: Type.Object({ isProfiled: Type.Boolean(), assumed: Type.Array(Type.String()) }),
		run: ({ shapes: { seen } }) => ({
			isProfiled: seen !== undefined,
			assumed: [...(seen?.assumed ?? [])],
		}),
	}),
	apiKeys: control({
		method: 'GET',
		path: '/api-keys',
		summary: 'Accepted API keys',
		reply: ref(ApiKeys),
		run: ({ keyring }) => keyring.all(),
		toReply: (apiKeys) => ({ apiKeys }),
	}),
	/** Exchanges the API keys, also while requests are running. */
	setApiKeys: control({
		method: 'PUT',
		path: '/api-keys',
		summary: 'Exchange the API keys',
		body: ApiKeys,
		args: (apiKeys: readonly ApiKey[]) => ({ body: { apiKeys } }),
		run: ({ keyring }, { body }) => keyring.replace(body.apiKeys),
	}),
	/**
	 * The authority that signed the HTTPS certificate, PEM.
	 *
	 * @throws ServiceError 404 without HTTPS
	 */
	caPem: control({
		method: 'GET',
		path: '/ca.pem',
		summary: 'Authority that signed the HTTPS certificate',
		reply: Type.String(),
		replyType: 'application/x-pem-file',
		run({ caPem }) {
			if (caPem !== undefined) return caPem;
			throw new ServiceError(404, 'no_https', 'This emulator was started without HTTPS');
		},
	}),
};
