// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.actuate;

public class ShownMeters {

}
