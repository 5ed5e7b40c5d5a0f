/**
 * How long a request waits at least until its deployment is open here or has an owner: that takes longer than the
 * shortest time budgets. A late answer is better than a refusal, which somebody on the floor would have to repeat.
 */
export const shortestWaitMs = 10_000;

/**
 * The same for a push: a program sends it, which waits longer than a person. If it is refused, it may come again only
 * after minutes.
 */
export const pushWaitMs = 25_000;
