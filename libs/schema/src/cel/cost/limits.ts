/** Largest estimated cost of one rule or message expression (`StaticEstimatedCostLimit` of apiextensions-apiserver). */
export const expressionLimit = 10_000_000;

/** Largest estimated cost of all rules of a schema together (`StaticEstimatedCRDCostLimit`). */
export const schemaLimit = 100_000_000;

/** What one evaluation of an expression may cost (`PerCallLimit` of k8s.io/apiserver). */
export const callLimit = 1_000_000;

/** What all rules on one object may cost together (`RuntimeCELCostBudget`). */
export const objectBudget = 10_000_000;

/** The largest request that estimates reckon with, in bytes (`MaxRequestSizeBytes`). */
export const requestSize = 3 * 1024 * 1024;

/** Cost of reading one character of a text (`StringTraversalCostFactor` of cel-go). */
export const perCharacter = 0.1;

/** Cost of one character of a pattern for each unit of text (`RegexStringLengthCostFactor`). */
export const perPatternCharacter = 0.25;

/** Cost of making a list. */
export const listCost = 10;

/** Cost of making a map. */
export const mapCost = 30;

/** Cost of making a message. */
export const structCost = 40;
