import { searchShare } from '../engine/share.ts';
import { kvStoreScenarios, laterStoreScenarios } from './scenarios.ts';

searchShare([...kvStoreScenarios, ...laterStoreScenarios], { histories: 10 });
