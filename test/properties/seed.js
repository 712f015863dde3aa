/** Fixed, so that `npm test` does the same each time. `npm run fuzz` sets others. */
const DEFAULT_SEED = 20_261_122;

module.exports = {
	SEED: Number(process.env.PROPERTIES_SEED ?? DEFAULT_SEED),
	/** How many stories the simulated clock has, one for each seed, and the first of them. */
	FIRST_STORY: Number(process.env.PROPERTIES_SEED ?? 1),
	/** How many cases a property has at most. */
	MOST_CASES: Number(process.env.PROPERTIES_CASES ?? Infinity),
	STORIES: Number(process.env.PROPERTIES_STORIES ?? 300),
};
