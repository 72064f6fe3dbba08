// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock.engine;

public class LockDecider {

}
