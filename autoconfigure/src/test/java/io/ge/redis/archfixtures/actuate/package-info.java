// SPDX-License-Identifier: Apache-2.0

/**
 * A house in ruins: each class here breaks the rule it is named after. The classes that
 * break none show that the rules do not overshoot.
 */
package io.ge.redis.archfixtures.actuate;
